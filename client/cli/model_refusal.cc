#include "client/cli/model_refusal.h"

#include <ostream>

#include "client/cli/errors.h"
#include "client/cli/lint_output.h"
#include "client/cli/terminal/plain_text.h"

namespace torqued::cli {

void TellRefusal(const client::Error& error,
                 const v1::RegisterModelRequest& request,
                 const std::string& file, const client::Client& client,
                 std::ostream& err) {
  if (error.reason() != v1::INVALID_MODEL) return;
  v1::ValidateModelRequest dry_run;
  dry_run.set_source(request.source());
  *dry_run.mutable_options() = request.options();
  const v1::ValidateModelReply reply = client.ValidateModel(dry_run);
  err << "torquectl: " << PlainText(error.details().reason) << " ("
      << PlainText(file) << "): " << PlainText(error.what()) << "\n";
  PrintReport(reply.report(), file, err);
  throw AlreadyTold();
}

}  // namespace torqued::cli

#include "client/cli/model_refusal.h"

#include <algorithm>
#include <ostream>

#include "client/cli/errors.h"
#include "client/cli/lint_output.h"
#include "client/cli/terminal/plain_text.h"

namespace torqued::cli {
namespace {

/// Whether the report says why, so that the sentence of the error need not.
bool ListsError(const v1::LintReport& report) {
  return std::any_of(report.findings().begin(), report.findings().end(),
                     [](const v1::Finding& finding) {
                       return finding.severity() == v1::SEVERITY_ERROR;
                     });
}

}  // namespace

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
      << PlainText(file) << "): "
      << (ListsError(reply.report()) ? "the server refuses the model"
                                     : PlainText(error.what()))
      << "\n";
  PrintReport(reply.report(), file, err);
  throw AlreadyTold();
}

}  // namespace torqued::cli

// torquectl models add
#include <optional>
#include <ostream>

#include "client/cli/commands/commands.h"
#include "client/cli/formats/csv_writer.h"
#include "client/cli/formats/file_text.h"
#include "client/cli/lint_output.h"
#include "client/cli/message_json.h"
#include "client/cli/model_refusal.h"
#include "client/cli/registration_flags.h"

namespace torqued::cli {
namespace {

struct Flags {
  RegistrationFlags registration;
  std::string name;
  std::string label;
  std::optional<std::string> expected;
};

v1::RegisterModelRequest ToRequest(const Flags& flags,
                                   v1::Validation validation) {
  v1::RegisterModelRequest request;
  request.set_name(flags.name.empty() ? ModelNameOf(flags.registration.file)
                                      : flags.name);
  request.set_source(ReadFile(flags.registration.file));
  *request.mutable_options() = ToOptions(flags.registration, validation);
  request.set_label(flags.label);
  if (flags.expected) {
    request.set_expected_current(*flags.expected == "none" ? ""
                                                           : *flags.expected);
  }
  return request;
}

ExitCode Run(Session& session, const Flags& flags) {
  session.RequireLastingServer("models add");
  const v1::RegisterModelRequest request =
      ToRequest(flags, session.validation());
  v1::RegisterModelReply reply;
  try {
    reply = session.client().RegisterModel(request);
  } catch (const client::Error& error) {
    TellRefusal(error, request, flags.registration.file, session.client(),
                session.err());
    throw;
  }

  const v1::ModelInfo& model = reply.model();
  switch (session.output()) {
    case OutputFormat::kJson:
      session.out() << ToText(ToJson(reply));
      break;
    case OutputFormat::kCsv: {
      CsvWriter csv({"name", "revision", "changed", "warnings"});
      csv.Text(model.name());
      csv.Text(model.revision());
      csv.Text(reply.changed() ? "true" : "false");
      csv.Number(model.report().warnings());
      csv.EndRow();
      session.out() << csv.text();
      break;
    }
    case OutputFormat::kTable:
      PrintReport(model.report(), flags.registration.file, session.out());
      session.out() << model.name() << "@" << model.revision()
                    << (reply.changed() ? "  registered" : "  unchanged")
                    << "\n";
      break;
  }
  return ExitCode::kOk;
}

}  // namespace

void AddModelsAdd(CLI::App* models, Runner* runner) {
  CLI::App* command = models->add_subcommand(
      "add", "Register a model and point a name at it; prints the lint report");
  const auto flags = std::make_shared<Flags>();
  AddRegistrationFlags(command, &flags->registration);
  command->add_option("--name", flags->name,
                      "Name (default: that of the file without its ending)");
  command->add_option("--label", flags->label,
                      "Label of this revision under the name");
  command->add_option("--expect", flags->expected,
                      "Only when the name points at this revision now (`none`: "
                      "only when there is no such name)");
  command->callback([flags, runner] {
    *runner = [flags](Session& session) { return Run(session, *flags); };
  });
}

}  // namespace torqued::cli

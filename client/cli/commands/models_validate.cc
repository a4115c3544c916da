// torquectl models validate
#include <ostream>

#include "client/cli/commands/commands.h"
#include "client/cli/formats/csv_writer.h"
#include "client/cli/formats/file_text.h"
#include "client/cli/lint_output.h"
#include "client/cli/message_json.h"
#include "client/cli/registration_flags.h"

namespace torqued::cli {
namespace {

void PrintCsv(const v1::LintReport& report, std::ostream& out) {
  CsvWriter csv({"severity", "code", "line", "joint", "link", "message",
                 "count", "more_places"});
  for (const v1::Finding& finding : report.findings()) {
    csv.Text(v1::Severity_Name(finding.severity()));
    csv.Text(finding.code());
    csv.Number(finding.line());
    csv.Text(finding.joint());
    csv.Text(finding.link());
    csv.Text(finding.message());
    csv.Number(CountOf(finding));
    csv.Text(MorePlacesText(finding));
    csv.EndRow();
  }
  out << csv.text();
}

ExitCode Run(Session& session, const RegistrationFlags& flags) {
  v1::ValidateModelRequest request;
  request.set_source(ReadFile(flags.file));
  *request.mutable_options() = ToOptions(flags, session.validation());
  const v1::ValidateModelReply reply = session.client().ValidateModel(request);
  switch (session.output()) {
    case OutputFormat::kJson:
      session.out() << ToText(ToJson(reply));
      break;
    case OutputFormat::kCsv:
      PrintCsv(reply.report(), session.out());
      break;
    case OutputFormat::kTable:
      PrintReport(reply.report(), flags.file, session.out());
      break;
  }
  return reply.valid() ? ExitCode::kOk : ExitCode::kNo;
}

}  // namespace

void AddModelsValidate(CLI::App* models, Runner* runner) {
  CLI::App* command = models->add_subcommand(
      "validate", "Lint a model without registering it; exit 2 on errors");
  const auto flags = std::make_shared<RegistrationFlags>();
  AddRegistrationFlags(command, flags.get());
  command->callback([flags, runner] {
    *runner = [flags](Session& session) { return Run(session, *flags); };
  });
}

}  // namespace torqued::cli

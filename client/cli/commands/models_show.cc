// torquectl models show
#include <ostream>

#include "client/cli/commands/commands.h"
#include "client/cli/errors.h"
#include "client/cli/formats/csv_writer.h"
#include "client/cli/lint_output.h"
#include "client/cli/message_json.h"

namespace torqued::cli {
namespace {

struct Flags {
  std::string model;
  bool source = false;
};

void PrintCsv(const v1::ModelInfo& model, std::ostream& out) {
  CsvWriter csv({"joint", "type", "parent_link", "child_link", "lower", "upper",
                 "velocity", "effort", "damping", "friction", "armature"});
  const auto limit = [&csv](bool has, double value) {
    if (has) {
      csv.Number(value);
    } else {
      csv.Text("");
    }
  };
  for (const v1::JointInfo& joint : model.joints()) {
    csv.Text(joint.name());
    csv.Text(v1::JointType_Name(joint.type()));
    csv.Text(joint.parent_link());
    csv.Text(joint.child_link());
    limit(joint.has_lower(), joint.lower());
    limit(joint.has_upper(), joint.upper());
    limit(joint.has_velocity(), joint.velocity());
    limit(joint.has_effort(), joint.effort());
    csv.Number(joint.damping());
    csv.Number(joint.friction());
    csv.Number(joint.armature());
    csv.EndRow();
  }
  out << csv.text();
}

ExitCode Run(Session& session, const Flags& flags) {
  const std::string reference = session.ResolveModel(flags.model);
  const v1::GetModelReply reply =
      session.client().GetModel(reference, flags.source);
  if (flags.source) {
    session.exact() << reply.source();
    return ExitCode::kOk;
  }
  switch (session.output()) {
    case OutputFormat::kJson:
      session.out() << ToText(ToJson(reply.model()));
      break;
    case OutputFormat::kCsv:
      PrintCsv(reply.model(), session.out());
      break;
    case OutputFormat::kTable:
      PrintModel(reply.model(), session.out());
      session.out() << "\n";
      PrintReport(reply.model().report(), reply.model().name(), session.out());
      break;
  }
  return ExitCode::kOk;
}

}  // namespace

void AddModelsShow(CLI::App* models, Runner* runner) {
  CLI::App* command = models->add_subcommand(
      "show", "One model: joints, limits, frames, lint report");
  const auto flags = std::make_shared<Flags>();
  command->add_option("REF", flags->model, "Model reference, as --model takes")
      ->required();
  command->add_flag("--source", flags->source,
                    "Print the exact source instead");
  command->callback([flags, runner] {
    *runner = [flags](Session& session) { return Run(session, *flags); };
  });
}

}  // namespace torqued::cli

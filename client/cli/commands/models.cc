// torquectl models add, list, show, validate, rm
#include <google/protobuf/util/time_util.h>
#include <CLI/CLI.hpp>
#include <optional>
#include <ostream>

#include "client/cli/commands/commands.h"
#include "client/cli/errors.h"
#include "client/cli/formats/csv.h"
#include "client/cli/formats/file_text.h"
#include "client/cli/lint_output.h"
#include "client/cli/message_json.h"
#include "client/cli/model_refusal.h"
#include "client/cli/registration_flags.h"
#include "client/cli/terminal/table.h"

namespace torqued::cli {
namespace {

struct AddFlags {
  RegistrationFlags registration;
  std::string name;
  std::string label;
  std::optional<std::string> expected;
};

v1::RegisterModelRequest ToRequest(const AddFlags& flags,
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

ExitCode Run(Session& session, const AddFlags& flags) {
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
  const auto flags = std::make_shared<AddFlags>();
  AddRegistrationFlags(command, &flags->registration);
  command->add_option("--name", flags->name,
                      "Name (default: that of the file without its ending)");
  command->add_option("--label", flags->label,
                      "Label of this revision under the name");
  command->add_option("--expected-current", flags->expected,
                      "Only when the name points at this revision now (`none`: "
                      "only when there is no such name)");
  command->callback([flags, runner] {
    *runner = [flags](Session& session) { return Run(session, *flags); };
  });
}

namespace {

using google::protobuf::util::TimeUtil;

std::string StateText(const v1::ModelSummary& model) {
  return model.state() == v1::MODEL_STATE_READY ? "READY" : "BROKEN";
}

void PrintTable(const std::vector<v1::ModelSummary>& models,
                std::ostream& out) {
  Table table({{"name", Align::kLeft},
               {"revision", Align::kLeft},
               {"state", Align::kLeft},
               {"nq", Align::kRight},
               {"nv", Align::kRight},
               {"registered", Align::kLeft},
               {"", Align::kLeft}});
  for (const v1::ModelSummary& model : models) {
    table.Add({model.name(), model.revision().substr(0, 12), StateText(model),
               std::to_string(model.nq()), std::to_string(model.nv()),
               TimeUtil::ToString(model.registered_at()), model.problem()});
  }
  table.Print(out);
}

void PrintCsv(const std::vector<v1::ModelSummary>& models, std::ostream& out) {
  CsvWriter csv(
      {"name", "revision", "state", "nq", "nv", "registered", "problem"});
  for (const v1::ModelSummary& model : models) {
    csv.Text(model.name());
    csv.Text(model.revision());
    csv.Text(StateText(model));
    csv.Number(model.nq());
    csv.Number(model.nv());
    csv.Text(TimeUtil::ToString(model.registered_at()));
    csv.Text(model.problem());
    csv.EndRow();
  }
  out << csv.text();
}

ExitCode List(Session& session) {
  session.RequireLastingServer("models list");
  const std::vector<v1::ModelSummary> models = session.client().ListModels();
  switch (session.output()) {
    case OutputFormat::kJson: {
      Json list = Json::array();
      for (const v1::ModelSummary& model : models) {
        list.push_back(ToJson(model));
      }
      session.out() << ToText(list);
      break;
    }
    case OutputFormat::kCsv:
      PrintCsv(models, session.out());
      break;
    case OutputFormat::kTable:
      PrintTable(models, session.out());
      break;
  }
  return ExitCode::kOk;
}

}  // namespace

void AddModelsList(CLI::App* models, Runner* runner) {
  CLI::App* command =
      models->add_subcommand("list", "Names and their current revisions");
  command->callback([runner] { *runner = List; });
}

namespace {

struct ShowFlags {
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

ExitCode Run(Session& session, const ShowFlags& flags) {
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
  const auto flags = std::make_shared<ShowFlags>();
  command
      ->add_option("MODEL", flags->model, "Model reference, as --model takes")
      ->required();
  command->add_flag("--source", flags->source,
                    "Print the exact source instead");
  command->callback([flags, runner] {
    *runner = [flags](Session& session) { return Run(session, *flags); };
  });
}

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

namespace {

struct RemoveFlags {
  std::string name;
  std::optional<std::string> expected;
};

ExitCode Run(Session& session, const RemoveFlags& flags) {
  session.RequireLastingServer("models rm");
  session.client().DeleteModel(flags.name, flags.expected);
  return ExitCode::kOk;
}

}  // namespace

void AddModelsRemove(CLI::App* models, Runner* runner) {
  CLI::App* command =
      models->add_subcommand("rm", "Remove a name with all its history");
  const auto flags = std::make_shared<RemoveFlags>();
  command->add_option("NAME", flags->name, "Plain name")->required();
  command->add_option("--expected-current", flags->expected,
                      "Only when the name points at this revision now");
  command->callback([flags, runner] {
    *runner = [flags](Session& session) { return Run(session, *flags); };
  });
}

}  // namespace torqued::cli

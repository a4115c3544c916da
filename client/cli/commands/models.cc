// torquectl models add, list, show, validate, rm; ping, info
#include <chrono>
#include <memory>
#include <optional>
#include <ostream>

#include "client/cli/commands/commands.h"
#include "client/cli/document.h"
#include "client/cli/formats/text.h"

namespace torqued::cli {
namespace {

struct ModelFlags {
  std::string file, tip, name, label;
  std::optional<std::string> expected;
  bool source = false;
};

ExitCode Add(Session& session, const ModelFlags& flags) {
  session.RequireLastingServer("models add");
  v1::RegisterModelRequest request;
  request.set_name(flags.name);
  request.set_label(flags.label);
  request.mutable_options()->set_default_tip(flags.tip);
  if (flags.expected) {
    request.set_expected_current(*flags.expected == "none" ? ""
                                                           : *flags.expected);
  }
  const v1::RegisterModelReply reply = session.Register(flags.file, request);
  const v1::ModelInfo& model = reply.model();
  const Json row = {{"name", model.name()},
                    {"revision", model.revision()},
                    {"changed", reply.changed()},
                    {"warnings", model.report().warnings()}};
  session.Answer(ToJson(reply), {"name", "revision", "changed", "warnings"},
                 Json::array({row}), [&](std::ostream& out) {
                   PrintReport(model.report(), flags.file, out);
                   out << model.name() << "@" << model.revision()
                       << (reply.changed() ? "  registered" : "  unchanged")
                       << "\n";
                 });
  return ExitCode::kOk;
}

ExitCode Validate(Session& session, const ModelFlags& flags) {
  v1::ValidateModelRequest request;
  request.set_source(ReadFile(flags.file));
  request.mutable_options()->set_default_tip(flags.tip);
  request.mutable_options()->set_validation(session.validation());
  const v1::ValidateModelReply reply = session.client().ValidateModel(request);
  Json rows = Json::array();
  for (const v1::Finding& finding : reply.report().findings()) {
    Json& row = rows.emplace_back(ToJson(finding));
    row["more_places"] = MorePlacesText(finding);
  }
  session.Answer(ToJson(reply),
                 {"severity", "code", "line", "joint", "link", "message",
                  "count", "more_places"},
                 rows, [&](std::ostream& out) {
                   PrintReport(reply.report(), flags.file, out);
                 });
  return reply.valid() ? ExitCode::kOk : ExitCode::kNo;
}

ExitCode List(Session& session) {
  session.RequireLastingServer("models list");
  Json list = Json::array(), shown = Json::array();
  for (const v1::ModelSummary& model : session.client().ListModels()) {
    list.push_back(ToJson(model));
    shown.push_back(ToJson(model, EnumNames::kFlags));
  }
  const Members columns = {"name", "revision",      "state",  "nq",
                           "nv",   "registered_at", "problem"};
  session.Answer(list, columns, list,
                 [&](std::ostream& out) { PrintRows(columns, shown, out); });
  return ExitCode::kOk;
}

ExitCode Show(Session& session, const ModelFlags& flags) {
  const std::string reference = session.ResolveModel(flags.name);
  const v1::GetModelReply reply =
      session.client().GetModel(reference, flags.source);
  if (flags.source) {
    session.WriteData(reply.source());
    return ExitCode::kOk;
  }
  Json model = ToJson(reply.model());
  session.Answer(
      model,
      {"name", "type", "parent_link", "child_link", "lower", "upper",
       "velocity", "effort", "damping", "friction", "armature"},
      model["joints"], [&](std::ostream& out) {
        Json shown = ToJson(reply.model(), EnumNames::kFlags);
        shown.erase("report");
        PrintFields(shown, out);
        out << "\n";
        PrintRows({"name", "type", "child_link", "lower", "upper", "velocity",
                   "effort", "damping", "friction", "armature"},
                  shown["joints"], out);
        out << "\n";
        PrintReport(reply.model().report(), reply.model().name(), out);
      });
  return ExitCode::kOk;
}

ExitCode Remove(Session& session, const ModelFlags& flags) {
  session.RequireLastingServer("models rm");
  session.client().DeleteModel(flags.name, flags.expected);
  return ExitCode::kOk;
}

ExitCode Ping(Session& session) {
  session.RequireLastingServer("ping");
  const client::Client& client = session.client();
  const auto start = std::chrono::steady_clock::now();
  const client::Health health = client.CheckHealth();
  const std::chrono::duration<double, std::micro> time =
      std::chrono::steady_clock::now() - start;
  const bool serves = health == client::Health::kServing;
  const bool answers = health != client::Health::kUnknown;
  const Json answer = {{"address", client.address()},
                       {"health", serves    ? "SERVING"
                                  : answers ? "NOT_SERVING"
                                            : "UNKNOWN"},
                       {"round_trip_us", time.count()}};
  session.Answer(answer, {"address", "health", "round_trip_us"},
                 Json::array({answer}),
                 [&](std::ostream& out) { PrintFields(answer, out); });
  return serves ? ExitCode::kOk : ExitCode::kNo;
}

ExitCode Info(Session& session) {
  session.RequireLastingServer("info");
  const client::Client& client = session.client();
  Json info = {{"client_version", TORQUED_VERSION},
               {"address", client.address()}};
  info.update(ToJson(client.GetServerInfo()));
  const Members columns = {"name", "lanes_double", "lanes_single"};
  session.Answer(info, columns, info["targets"], [&](std::ostream& out) {
    PrintFields(info, out);
    out << "\n";
    PrintRows(columns, info["targets"], out);
  });
  return ExitCode::kOk;
}

}  // namespace

void AddModels(CLI::App* app, Runner* runner) {
  CLI::App* models =
      app->add_subcommand("models", "The models that a server knows");
  const auto flags = std::make_shared<ModelFlags>();
  const auto with_flags =
      [&flags](ExitCode (*run)(Session&, const ModelFlags&)) {
        return [flags, run](Session& session) { return run(session, *flags); };
      };
  CLI::App* add = AddCommand(
      models, "add",
      "Register a model and point a name at it; prints the lint report", runner,
      with_flags(Add));
  CLI::App* validate =
      AddCommand(models, "validate",
                 "Lint a model without registering it; exit 2 on errors",
                 runner, with_flags(Validate));
  for (CLI::App* command : {add, validate}) {
    command->add_option("FILE", flags->file, "URDF file")->required();
    command->add_option("--default-tip", flags->tip,
                        "Frame (link name) of calls that name none");
  }
  add->add_option("--name", flags->name,
                  "Name (default: that of the file without its ending)");
  add->add_option("--label", flags->label,
                  "Label of this revision under the name");
  add->add_option("--expected-current", flags->expected,
                  "Only when the name points at this revision now (`none`: "
                  "only when there is no such name)");
  AddCommand(models, "list", "Names and their current revisions", runner, List);
  CLI::App* show = AddCommand(models, "show",
                              "One model: joints, limits, frames, lint report",
                              runner, with_flags(Show));
  show->add_option("MODEL", flags->name, "Model reference, as --model takes")
      ->required();
  show->add_flag("--source", flags->source, "Print the exact source instead");
  CLI::App* remove =
      AddCommand(models, "rm", "Remove a name with all its history", runner,
                 with_flags(Remove));
  remove->add_option("NAME", flags->name, "Plain name")->required();
  remove->add_option("--expected-current", flags->expected,
                     "Only when the name points at this revision now");
}

void AddServer(CLI::App* app, Runner* runner) {
  AddCommand(app, "ping",
             "Ask the server whether it serves; exit 2 when it does not",
             runner, Ping)
      ->alias("health");
  AddCommand(app, "info",
             "The server: version, instruction sets, threads, limits", runner,
             Info);
}

}  // namespace torqued::cli

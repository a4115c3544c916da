// torquectl trajectory
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <ostream>

#include "client/cli/commands/commands.h"
#include "client/cli/compute_flags.h"
#include "client/cli/errors.h"
#include "client/cli/evaluation_output.h"
#include "client/cli/formats/file_text.h"
#include "client/cli/formats/npy_writer.h"
#include "client/cli/output_paths.h"
#include "client/cli/shown_progress.h"
#include "client/cli/state_flags.h"
#include "client/cli/table_file.h"
#include "client/cli/trajectory_report.h"
#include "server/flags/options.h"

namespace torqued::cli {
namespace {

using SteadyClock = std::chrono::steady_clock;

struct Flags {
  std::string file;
  ModelFlags model;
  TermFlags terms;
  PrecisionFlags precision;
  TipFlags tip;
  WrenchFlags wrench;
  std::string torques;
  std::string plot;
  PlotScale plot_scale = PlotScale::kLimits;
  std::string summary;
  bool fail_on_limit = false;
};

bool IsNpy(const std::string& path) {
  return std::filesystem::path(path).extension() == ".npy";
}

void CheckTorquesName(const std::string& path) {
  if (path.empty() || IsNpy(path) ||
      std::filesystem::path(path).extension() == ".csv") {
    return;
  }
  throw UsageError("--torques", path + " ends neither in .csv nor in .npy");
}

// Whatever the name, it would be SVG.
void CheckPlotName(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  if (path.empty() || ending == ".svg") return;
  throw UsageError("--plot", path +
                                 " does not end in .svg, and SVG is what "
                                 "is drawn");
}

// The limits are matched by name; the torques must be in that order.
void CheckJoints(const StateTable& table,
                 const client::Evaluation& evaluation) {
  const auto& names = evaluation.echo.joint_names();
  if (!std::equal(names.begin(), names.end(), table.joints.begin(),
                  table.joints.end()) ||
      evaluation.tau.cols() != static_cast<Eigen::Index>(table.joints.size())) {
    throw client::Error(grpc::StatusCode::INTERNAL,
                        "the reply has other joints than were asked for");
  }
}

// Units and limits in the order of the table's joints.
void AddJoints(const v1::ModelInfo& model, const StateTable& table,
               TrajectoryRun* run) {
  std::vector<std::optional<double>> limits;
  run->joints = table.joints;
  for (const std::string& name : table.joints) {
    std::optional<double> limit;
    std::string unit = "N m";
    for (const v1::JointInfo& joint : model.joints()) {
      if (joint.name() != name) continue;
      if (joint.has_effort()) limit = joint.effort();
      if (joint.type() == v1::JOINT_TYPE_PRISMATIC) unit = "N";
    }
    limits.push_back(limit);
    run->units.push_back(unit);
  }
  run->summary =
      SummarizeTorques(run->evaluation.tau, run->time, run->joints, limits);
}

void WriteOutputs(const Flags& flags, const TrajectoryRun& run) {
  if (!flags.torques.empty()) {
    WriteFile(flags.torques, IsNpy(flags.torques) ? NpyBytes(run.evaluation.tau)
                                                  : TorquesCsv(run));
  }
  if (!flags.plot.empty())
    WriteFile(flags.plot, TorquesSvg(run, flags.plot_scale));
  if (!flags.summary.empty()) {
    WriteFile(flags.summary, ToText(SummaryJson(run)));
  }
}

ExitCode Run(Session& session, const Flags& flags) {
  CheckTorquesName(flags.torques);
  CheckPlotName(flags.plot);
  RequireSeparateFiles({{"--torques", flags.torques},
                        {"--plot", flags.plot},
                        {"--summary", flags.summary}},
                       {{"FILE", flags.file}, {"--model", flags.model.model}});
  client::ComputeOptions options;
  Apply(flags.terms, &options);
  Apply(flags.precision, &options);
  Apply(flags.tip, &options);
  Apply(flags.wrench, &options);
  options.joint_names = JointOrder(flags.model);
  std::optional<std::vector<std::string>> order;
  if (!flags.model.joints.empty()) order = options.joint_names;

  const std::string reference = session.ResolveModel(flags.model.model);
  const v1::ModelInfo model = session.client().GetModel(reference).model();
  TableRules rules = {{"q", "v", "a"}, {"q", "v", "a"}, /*with_time=*/true};
  rules.derived_by = "`torquectl trajectory check --derive cubic`";
  const StateTable table = ReadStateTable(flags.file, model, order, rules);
  table.CheckTimes();
  RemarkUnused(session, table.name, table.unused);

  TrajectoryRun run;
  run.file = flags.file;
  run.model_name = model.name();
  run.time = table.time;
  // The limits above and the torques below belong to one revision.
  const auto start = SteadyClock::now();
  run.evaluation =
      Compute(session, {v1::QUANTITY_INVERSE_DYNAMICS}, "@" + model.revision(),
              table.states, std::move(options));
  run.seconds =
      std::chrono::duration<double>(SteadyClock::now() - start).count();
  // Which a revision alone does not have.
  run.evaluation.echo.set_model(model.name());
  CheckJoints(table, run.evaluation);
  AddJoints(model, table, &run);
  WriteOutputs(flags, run);

  switch (session.output()) {
    case OutputFormat::kJson:
      session.out() << ToText(SummaryJson(run));
      break;
    case OutputFormat::kCsv:
      session.out() << SummaryCsv(run);
      break;
    case OutputFormat::kTable:
      PrintSummary(run, session.out());
      break;
  }
  RemarkHandovers(session, run.evaluation);
  RemarkRows(session, run.evaluation);
  const bool no = !run.evaluation.ok() ||
                  (flags.fail_on_limit && run.summary.exceeds_limits());
  return no ? ExitCode::kNo : ExitCode::kOk;
}

}  // namespace

void AddTrajectory(CLI::App* app, Runner* runner) {
  CLI::App* command = app->add_subcommand(
      "trajectory",
      "Torques along a trajectory, row by row, against the effort limits; "
      "`trajectory check` also tells where rows contradict each other");
  const auto flags = std::make_shared<Flags>();
  // These two are needed, unless there is a subcommand.
  CLI::Option* file = command->add_option(
      "FILE", flags->file,
      "CSV with columns time, <joint>.q, <joint>.v, <joint>.a; or CSV without "
      "names or NPY with [time,] q, v, a in the order of --joints");
  AddModelFlags(command, &flags->model);
  CLI::Option* model = command->get_option("--model")->required(false);
  AddTermFlags(command, &flags->terms);
  AddPrecisionFlags(command, &flags->precision);
  AddTipFlags(command, &flags->tip);
  AddWrenchFlags(command, &flags->wrench);
  command->add_option("--torques,-o", flags->torques,
                      "Write the torques to this .csv or .npy file");
  command->add_option("--plot", flags->plot,
                      "Draw the torques and the limits to this .svg file");
  flags::AddChoice<PlotScale>(
      command, "--plot-scale", &flags->plot_scale,
      {{"limits", PlotScale::kLimits}, {"torques", PlotScale::kTorques}},
      "What the torque axes span (default: limits)");
  command->add_option("--summary", flags->summary,
                      "Write the summary to this .json file");
  command->add_flag("--fail-on-limit", flags->fail_on_limit,
                    "Exit 2 when a joint exceeds its effort limit");
  AddTrajectoryCheck(command, runner);
  AddTrajectoryCompare(command, runner);
  command->callback([flags, runner, command, file, model] {
    if (!command->get_subcommands().empty()) {
      // What the subcommand does not know falls through to here.
      for (const CLI::Option* option : command->get_options()) {
        if (option->count() == 0) continue;
        throw CLI::ExtrasError(
            option->get_positional()
                ? option->results()
                : std::vector<std::string>{option->get_name()});
      }
      return;
    }
    for (const CLI::Option* needed : {file, model}) {
      if (needed->count() == 0) throw CLI::RequiredError(needed->get_name());
    }
    *runner = [flags](Session& session) { return Run(session, *flags); };
  });
}

}  // namespace torqued::cli

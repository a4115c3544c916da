// torquectl trajectory check
#include <array>
#include <chrono>
#include <filesystem>
#include <ostream>

#include "client/cli/commands/commands.h"
#include "client/cli/compute_flags.h"
#include "client/cli/errors.h"
#include "client/cli/formats/file_text.h"
#include "client/cli/formats/npy_writer.h"
#include "client/cli/limits_file.h"
#include "client/cli/shown_progress.h"
#include "client/cli/state_flags.h"
#include "client/cli/table_file.h"
#include "client/cli/verdict_report.h"
#include "client/cpp/request.h"
#include "server/flags/refusals.h"

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
  std::string limits;
  double derating = 1;
  double gap = 0;
  v1::Differentiation derive = v1::DIFFERENTIATION_UNSPECIFIED;
  bool task = false;
  std::string torques;
  std::string junit;
  std::string json;
};

bool IsNpy(const std::string& path) {
  return std::filesystem::path(path).extension() == ".npy";
}

v1::CheckTrajectoryStart StartOf(const Flags& flags,
                                 const client::ComputeOptions& options,
                                 const std::string& model) {
  // Of these the space is left out of requests that do not need it.
  const std::array quantities = {flags.task ? v1::QUANTITY_OPERATIONAL_SPACE
                                            : v1::QUANTITY_INVERSE_DYNAMICS};
  v1::EvaluateStart query = client::MakeStart(model, quantities, options);
  v1::CheckTrajectoryStart start;
  start.set_model(model);
  start.mutable_options()->Swap(query.mutable_options());
  if (flags.task) {
    start.mutable_operational_space()->Swap(query.mutable_operational_space());
  }
  start.set_tip_wrench_reference_frame(query.tip_wrench_reference_frame());
  if (!flags.limits.empty()) ReadLimits(flags.limits, &start);
  start.set_derating(flags.derating);
  start.set_merge_gap(flags.gap);
  start.set_derive(flags.derive);
  if (!flags.torques.empty()) start.add_tables(v1::TRAJECTORY_TABLE_TAU);
  return start;
}

std::vector<std::string> UnitsOf(const v1::ModelInfo& model,
                                 const v1::TrajectoryVerdict& verdict) {
  std::vector<std::string> units;
  for (const v1::JointDemand& demand : verdict.joints()) {
    std::string unit = "N m";
    for (const v1::JointInfo& joint : model.joints()) {
      const bool slides = joint.type() == v1::JOINT_TYPE_PRISMATIC;
      if (joint.name() == demand.joint() && slides) unit = "N";
    }
    units.push_back(unit);
  }
  return units;
}

void WriteOutputs(const Flags& flags, const CheckedTrajectory& checked) {
  if (!flags.torques.empty()) {
    WriteFile(flags.torques, IsNpy(flags.torques) ? NpyBytes(checked.check.tau)
                                                  : TorquesCsv(checked));
  }
  if (!flags.junit.empty()) WriteFile(flags.junit, VerdictJunit(checked));
  if (!flags.json.empty()) WriteFile(flags.json, ToText(VerdictJson(checked)));
}

ExitCode Run(Session& session, const Flags& flags) {
  if (!flags.torques.empty() && !IsNpy(flags.torques) &&
      std::filesystem::path(flags.torques).extension() != ".csv") {
    throw UsageError("--torques",
                     flags.torques + " ends neither in .csv nor in .npy");
  }
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
  const bool derives = flags.derive != v1::DIFFERENTIATION_UNSPECIFIED;
  const Suffixes columns = derives ? Suffixes{"q"} : Suffixes{"q", "v", "a"};
  StateTable table = ReadStateTable(flags.file, model, order,
                                    {columns, columns, /*with_time=*/true});
  if (table.time.empty()) {
    throw DataError(table.name, "has no column of times");
  }
  RemarkUnused(session, table);
  // The columns stand in this order, the model's or the user's.
  options.joint_names = table.joints;
  const v1::CheckTrajectoryStart start =
      StartOf(flags, options, "@" + model.revision());

  CheckedTrajectory checked;
  checked.file = flags.file;
  checked.time = table.time;
  client::TrajectorySamples samples;
  samples.time = std::move(table.time);
  samples.q = std::move(table.states.q);
  samples.v = std::move(table.states.v);
  samples.a = std::move(table.states.a);
  if (options.tip_wrench_on_environment) {
    samples.tip_wrench_on_environment =
        options.tip_wrench_on_environment->wrench;
  }
  const auto begin = SteadyClock::now();
  {
    ShownProgress progress(session, "samples");
    checked.check = session.client().CheckTrajectory(
        start, samples, [&progress](std::int64_t done, std::int64_t total) {
          progress.Update(done, total);
        });
  }
  checked.seconds =
      std::chrono::duration<double>(SteadyClock::now() - begin).count();
  // Which a revision alone does not have.
  checked.check.verdict.mutable_echo()->set_model(model.name());
  checked.units = UnitsOf(model, checked.check.verdict);
  WriteOutputs(flags, checked);

  switch (session.output()) {
    case OutputFormat::kJson:
      session.out() << ToText(VerdictJson(checked));
      break;
    case OutputFormat::kCsv:
      session.out() << VerdictCsv(checked);
      break;
    case OutputFormat::kTable:
      PrintVerdict(checked, session.out());
      break;
  }
  return checked.check.verdict.passes() ? ExitCode::kOk : ExitCode::kNo;
}

}  // namespace

void AddTrajectoryCheck(CLI::App* trajectory, Runner* runner) {
  CLI::App* command = trajectory->add_subcommand(
      "check",
      "Does a robot keep its limits along a trajectory? Exit code 0: yes, "
      "2: no, 1: there is no answer");
  const auto flags = std::make_shared<Flags>();
  command
      ->add_option("FILE", flags->file,
                   "CSV with columns time, <joint>.q, <joint>.v, <joint>.a; "
                   "or CSV without names or NPY with time, q, v, a in the "
                   "order of --joints; with --derive without v and a")
      ->required();
  AddModelFlags(command, &flags->model);
  flags::AddChoice<v1::Differentiation>(
      command, "--derive", &flags->derive,
      {{"cubic", v1::DIFFERENTIATION_CUBIC_SPLINE},
       {"quintic", v1::DIFFERENTIATION_QUINTIC_SPLINE}},
      "Take only times and positions from the file, and velocities and "
      "accelerations from an interpolating spline");
  AddTermFlags(command, &flags->terms);
  AddPrecisionFlags(command, &flags->precision);
  AddTipFlags(command, &flags->tip);
  AddWrenchFlags(command, &flags->wrench);
  command->add_option("--limits", flags->limits,
                      "JSON file with limits, torque-speed curves, friction "
                      "and rotor inertia of joints, in the place of the "
                      "model's");
  command->add_option("--derate", flags->derating,
                      "Multiply all torque limits by this factor, above 0 and "
                      "at most 1");
  command->add_option("--gap", flags->gap,
                      "Tell violations of a joint that are at most so many "
                      "seconds apart as one");
  command->add_flag("--task", flags->task,
                    "Look at the operational space of the tip along the path");
  command->add_option("--torques,-o", flags->torques,
                      "Write the torques to this .csv or .npy file");
  command->add_option("--junit", flags->junit,
                      "Write the verdict to this file as JUnit XML");
  command->add_option("--summary", flags->json,
                      "Write the verdict to this .json file");
  command->callback([flags, runner] {
    *runner = [flags](Session& session) { return Run(session, *flags); };
  });
}

}  // namespace torqued::cli

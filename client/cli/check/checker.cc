#include "client/cli/check/checker.h"

#include <CLI/CLI.hpp>

#include <chrono>
#include <utility>

#include "client/cli/check/check_refusal.h"
#include "client/cli/check/limits_file.h"
#include "client/cli/errors.h"
#include "client/cli/table_file.h"
#include "client/cli/terminal/plain_text.h"
#include "server/flags/near_names.h"
#include "server/flags/options.h"

namespace torqued::cli {
namespace {

using SteadyClock = std::chrono::steady_clock;

v1::CheckTrajectoryStart StartOf(const CheckFlags& flags,
                                 const client::ComputeOptions& options,
                                 const std::string& model) {
  v1::CheckTrajectoryStart start;
  start.set_model(model);
  *start.mutable_options() = options.options;
  if (flags.task)
    *start.mutable_operational_space() = options.operational_space;
  start.set_tip_wrench_reference_frame(options.tip_wrench_reference_frame);
  if (!flags.limits.empty()) ReadLimits(flags.limits, &start);
  start.set_derating(flags.derating);
  start.set_merge_gap(flags.gap);
  start.set_derive(flags.derive);
  start.set_consistent(flags.consistent);
  return start;
}

/// Of --wrench, before files are asked about.
void CheckWrench(const client::Batch& wrench) {
  if (wrench.cols() != 6) {
    throw UsageError("--wrench", "needs 6 numbers, mx,my,mz,fx,fy,fz, has " +
                                     std::to_string(wrench.cols()));
  }
  if (!wrench.allFinite()) {
    throw UsageError("--wrench", "has a number that is not finite");
  }
}

/// Of a column that may be the time under another name.
std::string TimeHint(const std::vector<std::string>& unused) {
  const std::vector<std::string> near = flags::NearNames("time", unused);
  if (near.empty()) return {};
  return "; '" + PlainText(near.front(), 128) + "' is none";
}

Json TableJson(const client::Batch& table) {
  Json rows = Json::array();
  for (const auto& row : table.rowwise()) {
    rows.push_back(std::vector<double>(row.begin(), row.end()));
  }
  return rows;
}

}  // namespace

void AddCheckFlags(CLI::App* command, CheckFlags* flags) {
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
  command
      ->add_option("--wrench-profile", flags->wrench_profile,
                   "In the place of --wrench a CSV or NPY file with time, mx, "
                   "my, mz, fx, fy, fz, with straight lines between its rows")
      ->excludes("--wrench");
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
  command->add_flag("--consistent", flags->consistent,
                    "Exit 2 also where samples contradict each other: v is not "
                    "the rate of q, or a not that of v");
  command->add_flag("--task", flags->task,
                    "Look at the operational space of the tip along the path");
  AddTaskFlags(command, &flags->operational_space);
  for (const char* name :
       {"--frame", "--axes", "--damped", "--rank-tolerance", "--length"}) {
    command->get_option(name)->needs("--task");
  }
}

Checker::Checker(Session& session, const CheckFlags& flags)
    : limits_(flags.limits), wrench_file_(flags.wrench_profile) {
  client::ComputeOptions options;
  Apply(flags.terms, &options);
  Apply(flags.precision, &options);
  Apply(flags.tip, &options);
  client::States wrench;
  Apply(flags.wrench, &wrench, &options);
  if (flags.task) Apply(flags.operational_space, &options);
  options.operational_space.set_sigma_min(false);  // a verdict always has it
  if (!flags.model.joints.empty()) order_ = JointOrder(flags.model);
  const std::string reference = session.ResolveModel(flags.model.model);
  client_ = &session.client();
  model_ = client_->GetModel(reference).model();
  start_ = StartOf(flags, options, "@" + model_.revision());
  if (!flags.wrench.wrench.empty()) {
    wrench_ = std::move(wrench.tip_wrench_on_environment);
    CheckWrench(wrench_);
  }
  wrench_frame_ = ParseFrame(flags.wrench.wrench_frame);
  if (!flags.wrench_profile.empty()) {
    profile_.emplace(flags.wrench_profile);
    start_.set_tip_wrench_reference_frame(wrench_frame_);
  }
}

Json Checker::OtherInputs() const {
  Json inputs = Json::object();
  if (order_) inputs["joints"] = *order_;
  inputs["wrench_frame"] = v1::ReferenceFrame_Name(wrench_frame_);
  if (wrench_.size() > 0) inputs["wrench"] = TableJson(wrench_);
  if (profile_) inputs["wrench_profile"] = TableJson(profile_->table());
  return inputs;
}

CheckedTrajectory Checker::Check(const std::filesystem::path& file,
                                 std::span<const v1::TrajectoryTable> tables,
                                 const client::Progress& progress) const {
  const bool derives = start_.derive() != v1::DIFFERENTIATION_UNSPECIFIED;
  const Suffixes columns = derives ? Suffixes{"q"} : Suffixes{"q", "v", "a"};
  TableRules rules = {columns, columns, /*with_time=*/true};
  if (derives) rules.ignored = {"v", "a"};
  rules.with_wrench = true;
  if (!derives) rules.derived_by = "--derive cubic or --derive quintic";
  StateTable table = ReadStateTable(file, model_, order_, rules);
  if (table.time.empty()) {
    throw DataError(table.name,
                    "has no times; give each sample its 'time', in seconds" +
                        TimeHint(table.unused));
  }
  // The server would name neither the file nor its line.
  table.CheckSamples();
  CheckedTrajectory checked;
  checked.file = file.string();
  checked.unused = std::move(table.unused);
  checked.inputs = OtherInputs();
  checked.limits_file = limits_.string();
  checked.wrench_file = wrench_file_;
  checked.samples.time = std::move(table.time);
  checked.samples.q = std::move(table.states.q);
  checked.samples.v = std::move(table.states.v);
  checked.samples.a = std::move(table.states.a);
  checked.brings_wrench = table.tip_wrench.rows() > 0;
  const auto samples = static_cast<Eigen::Index>(checked.samples.time.size());
  if (wrench_.rows() > 1 && wrench_.rows() != samples) {
    throw DataError(table.name, "has " + std::to_string(samples) +
                                    " samples, and --wrench " +
                                    std::to_string(wrench_.rows()) + " rows");
  }
  if (checked.brings_wrench && (profile_ || wrench_.rows() > 0)) {
    throw DataError(table.name,
                    "has a tip_wrench, and another one is given as well");
  }
  checked.samples.tip_wrench_on_environment =
      checked.brings_wrench ? std::move(table.tip_wrench)
      : profile_            ? profile_->At(checked.samples.time)
                            : wrench_;

  v1::CheckTrajectoryStart start = start_;
  // The columns stand in this order, the model's or the user's.
  for (std::string& joint : table.joints) {
    start.mutable_options()->add_joint_names(std::move(joint));
  }
  if (checked.brings_wrench)
    start.set_tip_wrench_reference_frame(wrench_frame_);
  start.mutable_tables()->Add(tables.begin(), tables.end());
  const auto begin = SteadyClock::now();
  try {
    checked.check = client_->CheckTrajectory(start, checked.samples, progress);
  } catch (const client::Error& error) {
    ThrowOfFile(error, table, limits_);
    throw;
  }
  checked.seconds =
      std::chrono::duration<double>(SteadyClock::now() - begin).count();
  // Which a revision alone does not have.
  checked.check.verdict.mutable_echo()->set_model(model_.name());
  return checked;
}

}  // namespace torqued::cli

#include "client/cli/check/checker.h"

#include <CLI/CLI.hpp>

#include <chrono>
#include <utility>

#include "client/cli/check/check_refusal.h"
#include "client/cli/check/limits_file.h"
#include "client/cli/errors.h"
#include "client/cli/request_flags.h"
#include "client/cli/table_file.h"
#include "client/cli/terminal/plain_text.h"
#include "server/flags/near_names.h"

namespace torqued::cli {
namespace {

using SteadyClock = std::chrono::steady_clock;

const Fields kTables = {"tip_wrench_on_environment"};

/// The fields of the start and of the messages in it, but for those that the
/// command sets itself or that a check does not take.
const Fields& StartFields() {
  static const Fields fields = [] {
    Fields all = FieldsOf(*v1::CheckTrajectoryStart::descriptor());
    for (const char* name :
         {"model", "encoding", "fail_fast", "sigma_min", "tables"}) {
      all.erase(name);
    }
    return all;
  }();
  return fields;
}

/// Before files are asked about.
void CheckWrench(const client::Batch& wrench) {
  const std::string flag = FlagOf(*kTables.begin());
  if (wrench.cols() != 6) {
    throw UsageError(flag, "needs 6 numbers, mx,my,mz,fx,fy,fz, has " +
                               std::to_string(wrench.cols()));
  }
  if (!wrench.allFinite()) {
    throw UsageError(flag, "has a number that is not finite");
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
  flags->command = command;
  AddModelFlag(command, &flags->model);
  AddTableFlags(command, kTables);
  command
      ->add_option("--wrench-profile", flags->wrench_profile,
                   "Instead of a tip wrench a CSV or NPY file with time, mx, "
                   "my, mz, fx, fy, fz, with straight lines between its rows")
      ->excludes(FlagOf(*kTables.begin()));
  command->add_option("--limits", flags->limits,
                      "JSON file with limits, torque-speed curves, friction "
                      "and rotor inertia of joints, in the place of the "
                      "model's");
  command->add_flag("--task", flags->task,
                    "Look at the operational space of the tip along the path");
  AddFieldFlags(command, *v1::CheckTrajectoryStart::descriptor(),
                StartFields());
  Fields of_task = FieldsOf(*v1::OperationalSpaceOptions::descriptor());
  of_task.insert("reference_frame");
  for (const std::string& field : of_task) {
    if (StartFields().contains(field)) {
      command->get_option(FlagOf(field))->needs("--task");
    }
  }
}

Checker::Checker(Session& session, const CheckFlags& flags)
    : limits_(flags.limits), wrench_file_(flags.wrench_profile) {
  v1::Options* options = start_.mutable_options();
  start_.set_derating(1);
  ReadFieldFlags(*flags.command, StartFields(), &start_);
  order_ = TakeJointOrder(options);
  if (flags.task) start_.mutable_operational_space();
  wrench_ = ReadTableFlags(*flags.command, kTables, options)
                .tip_wrench_on_environment;
  wrench_frame_ = start_.tip_wrench_reference_frame();
  if (wrench_frame_ == v1::REFERENCE_FRAME_UNSPECIFIED) {
    wrench_frame_ = v1::REFERENCE_FRAME_LOCAL;
  }
  const std::string reference = session.ResolveModel(flags.model);
  client_ = &session.client();
  model_ = client_->GetModel(reference).model();
  start_.set_model("@" + model_.revision());
  if (!flags.limits.empty()) ReadLimits(flags.limits, &start_);
  if (wrench_.size() > 0) CheckWrench(wrench_);
  if (!flags.wrench_profile.empty()) profile_.emplace(flags.wrench_profile);
  // Without a wrench it would be refused.
  start_.clear_tip_wrench_reference_frame();
  if (wrench_.size() > 0 || profile_) {
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
  if (!derives)
    rules.derived_by = "--derive cubic_spline or --derive quintic_spline";
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
                                    " samples, and " +
                                    FlagOf(*kTables.begin()) + " " +
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

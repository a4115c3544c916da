#include "client/cli/check/checker.h"

#include <CLI/CLI.hpp>

#include <chrono>
#include <utility>

#include "client/cli/check/limits_file.h"
#include "client/cli/errors.h"
#include "client/cli/formats/number_text.h"
#include "client/cli/request_flags.h"
#include "client/cli/table_file.h"
#include "client/cli/terminal/plain_text.h"

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

Json TableJson(const client::Batch& table) {
  Json rows = Json::array();
  for (const auto& row : table.rowwise()) {
    rows.push_back(std::vector<double>(row.begin(), row.end()));
  }
  return rows;
}

/// Throws DataError if the server refuses a sample of the table.
void ThrowOfSample(const client::Error& error, const StateTable& table) {
  const auto& [reason, metadata, violations, delay] = error.details();
  const auto row = metadata.find("row");
  if (error.reason() != v1::INVALID_SAMPLE || violations.empty() ||
      row == metadata.end()) {
    return;
  }
  const auto number = ParseNumber(row->second);
  if (!number || *number < 0) return;
  // "q[4][2]": the place has the row, and the sentence has the joint.
  const auto& [field, sentence] = violations.front();
  const std::string array = PlainText(field.substr(0, field.find('[')));
  throw DataError(
      table.Place(static_cast<Eigen::Index>(*number)),
      (array == "samples" ? "" : array + ": ") + PlainText(sentence));
}

}  // namespace

void AddCheckFlags(CLI::App* command, CheckFlags* flags) {
  flags->command = command;
  AddModelFlag(command, &flags->model);
  AddTableFlags(command, kTables);
  command
      ->add_option("--tip-wrench-profile", flags->wrench_profile,
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

Checker::Checker(Session& session, const CheckFlags& flags) {
  v1::Options* options = start_.mutable_options();
  ReadFieldFlags(*flags.command, StartFields(), &start_);
  order_ = TakeJointOrder(options);
  if (flags.task) start_.mutable_operational_space();
  wrench_ = ReadTableFlags(*flags.command, kTables, options)
                .tip_wrench_on_environment;
  if (wrench_.size() > 0 && (wrench_.cols() != 6 || !wrench_.allFinite())) {
    throw UsageError(FlagOf(*kTables.begin()),
                     "needs 6 finite numbers, mx,my,mz,fx,fy,fz");
  }
  wrench_frame_ = start_.tip_wrench_reference_frame();
  if (wrench_frame_ == v1::REFERENCE_FRAME_UNSPECIFIED) {
    wrench_frame_ = v1::REFERENCE_FRAME_LOCAL;
  }
  const std::string reference = session.ResolveModel(flags.model);
  client_ = &session.client();
  model_ = client_->GetModel(reference).model();
  start_.set_model("@" + model_.revision());
  if (!flags.limits.empty()) {
    files_.emplace_back("file of limits", flags.limits);
    ReadLimits(flags.limits, &start_);
  }
  if (!flags.wrench_profile.empty()) {
    files_.emplace_back("file of wrenches", flags.wrench_profile);
    ReadWrenchProfile(flags.wrench_profile, &start_);
  }
  if (wrench_.rows() == 1) {
    v1::WrenchPoint* point = start_.add_tip_wrench_profile();
    point->mutable_wrench()->Add(wrench_.data(), wrench_.data() + 6);
    wrench_.resize(0, 6);
  }
  // Without a wrench it would be refused.
  start_.clear_tip_wrench_reference_frame();
  if (wrench_.size() > 0 || !start_.tip_wrench_profile().empty()) {
    start_.set_tip_wrench_reference_frame(wrench_frame_);
  }
}

Json Checker::OtherInputs() const {
  Json inputs = Json::object();
  if (order_) inputs["joints"] = *order_;
  inputs["wrench_frame"] = v1::ReferenceFrame_Name(wrench_frame_);
  if (wrench_.size() > 0) inputs["wrench"] = TableJson(wrench_);
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
    throw DataError(
        table.name,
        "the file has no times; give each sample its 'time', in seconds");
  }
  CheckedTrajectory checked;
  checked.file = file.string();
  checked.unused = std::move(table.unused);
  checked.inputs = OtherInputs();
  checked.files = files_;
  checked.samples.time = std::move(table.time);
  checked.samples.q = std::move(table.states.q);
  checked.samples.v = std::move(table.states.v);
  checked.samples.a = std::move(table.states.a);
  checked.brings_wrench = table.tip_wrench.rows() > 0;
  const auto samples = static_cast<Eigen::Index>(checked.samples.time.size());
  if (wrench_.rows() > 0 && wrench_.rows() != samples) {
    throw DataError(table.name, "has " + std::to_string(samples) +
                                    " samples, and " +
                                    FlagOf(*kTables.begin()) + " " +
                                    std::to_string(wrench_.rows()) + " rows");
  }
  if (checked.brings_wrench &&
      (!start_.tip_wrench_profile().empty() || wrench_.rows() > 0)) {
    throw DataError(
        table.name,
        "the file has a tip_wrench, and another one is given as well");
  }
  checked.samples.tip_wrench_on_environment =
      checked.brings_wrench ? table.tip_wrench : wrench_;

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
    ThrowOfSample(error, table);
    throw;
  }
  checked.seconds =
      std::chrono::duration<double>(SteadyClock::now() - begin).count();
  // Which a revision alone does not have.
  checked.check.verdict.mutable_echo()->set_model(model_.name());
  return checked;
}

}  // namespace torqued::cli

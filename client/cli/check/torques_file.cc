#include "client/cli/check/torques_file.h"

#include "client/cli/formats/csv_writer.h"
#include "client/cli/formats/joint_trajectory.h"
#include "client/cli/formats/npy_writer.h"
#include "client/cli/formats/npz.h"

namespace torqued::cli {
namespace {

std::vector<std::string> JointsOf(const CheckedTrajectory& checked) {
  std::vector<std::string> joints;
  for (const v1::JointDemand& joint : checked.check.verdict.joints()) {
    joints.push_back(joint.joint());
  }
  return joints;
}

std::string TorquesCsv(const CheckedTrajectory& checked) {
  std::vector<std::string> header = {"time"};
  for (const std::string& joint : JointsOf(checked)) {
    header.push_back(joint + ".tau");
  }
  CsvWriter csv(header);
  for (Eigen::Index row = 0; row < checked.check.tau.rows(); ++row) {
    csv.Number(checked.samples.time[static_cast<std::size_t>(row)]);
    for (const double tau : checked.check.tau.row(row)) csv.Number(tau);
    csv.EndRow();
  }
  return csv.text();
}

std::string TorquesNpz(const CheckedTrajectory& checked) {
  const std::vector<double>& time = checked.samples.time;
  NpzArrays arrays;
  arrays.numbers["time"] = Eigen::Map<const client::Batch>(
      time.data(), static_cast<Eigen::Index>(time.size()), 1);
  arrays.numbers["q"] = checked.samples.q;
  arrays.numbers["v"] = checked.v();
  arrays.numbers["a"] = checked.a();
  arrays.numbers["tau"] = checked.check.tau;
  if (checked.brings_wrench) {
    arrays.numbers["tip_wrench"] = checked.samples.tip_wrench_on_environment;
  }
  arrays.names["joint_names"] = JointsOf(checked);
  return NpzBytes(arrays);
}

}  // namespace

std::set<v1::TrajectoryTable> TablesForTorques(bool derived) {
  std::set<v1::TrajectoryTable> tables = {v1::TRAJECTORY_TABLE_TAU};
  if (derived) {
    tables.insert(v1::TRAJECTORY_TABLE_V);
    tables.insert(v1::TRAJECTORY_TABLE_A);
  }
  return tables;
}

std::string TorquesBytes(const CheckedTrajectory& checked, Container container,
                         const std::string& name) {
  switch (container) {
    case Container::kCsv:
      return TorquesCsv(checked);
    case Container::kNpy:
      return NpyBytes(checked.check.tau);
    case Container::kNpz:
      return TorquesNpz(checked);
    case Container::kYaml:  // not asked for
    case Container::kJson:
      break;
  }
  return JointTrajectoryJson({.joint_names = JointsOf(checked),
                              .time = checked.samples.time,
                              .positions = checked.samples.q,
                              .velocities = checked.v(),
                              .accelerations = checked.a(),
                              .effort = checked.check.tau},
                             name);
}

}  // namespace torqued::cli

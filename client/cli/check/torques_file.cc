#include "client/cli/check/torques_file.h"

#include "client/cli/formats/csv.h"
#include "client/cli/formats/joint_trajectory.h"
#include "client/cli/formats/npy.h"

namespace torqued::cli {
namespace {

StateBlocks BlocksOf(const CheckedTrajectory& checked) {
  StateBlocks blocks;
  blocks.joints.emplace();
  for (const v1::JointDemand& joint : checked.check.verdict.joints()) {
    blocks.joints->push_back(joint.joint());
  }
  blocks.time = checked.samples.time;
  blocks.tables["q"] = checked.samples.q;
  blocks.tables["v"] = checked.v();
  blocks.tables["a"] = checked.a();
  blocks.tables["tau"] = checked.check.tau;
  if (checked.brings_wrench) {
    blocks.tip_wrench = checked.samples.tip_wrench_on_environment;
  }
  return blocks;
}

std::string TorquesCsv(const StateBlocks& blocks) {
  std::vector<std::string> header = {"time"};
  for (const std::string& joint : *blocks.joints) {
    header.push_back(joint + ".tau");
  }
  CsvWriter csv(header);
  const client::Batch& tau = blocks.tables.at("tau");
  for (std::size_t row = 0; row < blocks.time.size(); ++row) {
    csv.Number(blocks.time[row]);
    for (const double torque : tau.row(static_cast<Eigen::Index>(row))) {
      csv.Number(torque);
    }
    csv.EndRow();
  }
  return csv.text();
}

}  // namespace

std::set<v1::TrajectoryTable> TablesForTorques(bool derived) {
  if (!derived) return {v1::TRAJECTORY_TABLE_TAU};
  return {v1::TRAJECTORY_TABLE_TAU, v1::TRAJECTORY_TABLE_V,
          v1::TRAJECTORY_TABLE_A};
}

std::string TorquesBytes(const CheckedTrajectory& checked, Container container,
                         const std::string& name) {
  switch (container) {
    case Container::kCsv:
      return TorquesCsv(BlocksOf(checked));
    case Container::kNpy:
      return NpyBytes(checked.check.tau);
    case Container::kNpz:
      return NpzBytes(BlocksOf(checked));
    case Container::kYaml:  // not asked for
    case Container::kJson:
      break;
  }
  return JointTrajectoryJson(BlocksOf(checked), name);
}

}  // namespace torqued::cli

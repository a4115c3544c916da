#include "client/cli/state_blocks.h"

#include <algorithm>
#include <array>
#include <utility>

#include "client/cli/errors.h"
#include "client/cli/formats/joint_trajectory.h"
#include "client/cli/formats/npz.h"

namespace torqued::cli {
namespace {

constexpr std::array<std::string_view, 4> kTables = {"q", "v", "a", "tau"};

StateBlocks BlocksOf(JointTrajectory trajectory) {
  StateBlocks blocks;
  blocks.joints = std::move(trajectory.joint_names);
  blocks.time = std::move(trajectory.time);
  const auto add = [&](const char* name, client::Batch& numbers) {
    if (numbers.size() > 0) blocks.tables.emplace(name, std::move(numbers));
  };
  add("q", trajectory.positions);
  add("v", trajectory.velocities);
  add("a", trajectory.accelerations);
  add("tau", trajectory.effort);
  return blocks;
}

}  // namespace

StateBlocks BlocksOfNpz(std::string_view bytes, const std::string& name) {
  StateBlocks blocks;
  NpzArrays arrays = ParseNpz(bytes, name);
  for (auto& [array, numbers] : arrays.numbers) {
    if (array == "time") {
      // One dimension, or one column.
      if (numbers.rows() != 1 && numbers.cols() != 1) {
        throw DataError(name, "has times of several columns");
      }
      blocks.time.assign(numbers.data(), numbers.data() + numbers.size());
    } else if (std::find(kTables.begin(), kTables.end(), array) !=
               kTables.end()) {
      blocks.tables.emplace(array, std::move(numbers));
    } else {
      blocks.unused.push_back(array);
    }
  }
  for (auto& [array, names] : arrays.names) {
    if (array == "joint_names") {
      blocks.joints = std::move(names);
    } else {
      blocks.unused.push_back(array);
    }
  }
  return blocks;
}

StateBlocks BlocksOfYaml(std::string_view text, const std::string& name) {
  return BlocksOf(ParseJointTrajectoryYaml(text, name));
}

StateBlocks BlocksOfJson(std::string_view text, const std::string& name) {
  return BlocksOf(ParseJointTrajectoryJson(text, name));
}

}  // namespace torqued::cli

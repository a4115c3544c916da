#include "client/cli/state_blocks.h"

#include <array>
#include <utility>

#include "client/cli/errors.h"
#include "client/cli/formats/joint_trajectory.h"
#include "client/cli/formats/npz.h"

namespace torqued::cli {
namespace {

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
  constexpr std::array<std::string_view, 7> kArrays = {
      "time", "q", "v", "a", "tau", "tip_wrench", "joint_names"};
  StateBlocks blocks;
  NpzArrays arrays = ParseNpz(bytes, kArrays, name);
  blocks.unused = std::move(arrays.others);
  for (auto& [array, numbers] : arrays.numbers) {
    if (array == "time") {
      // One dimension, or one column.
      if (numbers.rows() != 1 && numbers.cols() != 1) {
        throw DataError(name, "has times of several columns");
      }
      blocks.time.assign(numbers.data(), numbers.data() + numbers.size());
    } else if (array == "tip_wrench") {
      if (numbers.cols() != 6) {
        throw DataError(name, "has a tip_wrench of " +
                                  std::to_string(numbers.cols()) +
                                  " columns, not 6");
      }
      blocks.tip_wrench = std::move(numbers);
    } else if (array == "joint_names") {
      throw DataError(name, "has joint_names that are numbers");
    } else {
      blocks.tables.emplace(array, std::move(numbers));
    }
  }
  for (auto& [array, names] : arrays.names) {
    if (array != "joint_names") {
      throw DataError(name, array + " holds names, not numbers");
    }
    blocks.joints = std::move(names);
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

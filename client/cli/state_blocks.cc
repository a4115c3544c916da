#include "client/cli/state_blocks.h"

#include <algorithm>
#include <array>
#include <utility>

#include "client/cli/errors.h"
#include "client/cli/formats/joint_trajectory.h"
#include "client/cli/formats/npz.h"

namespace torqued::cli {
namespace {

/// Tables by the fields of the message.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kFields =
    {{{"q", "positions"},
      {"v", "velocities"},
      {"a", "accelerations"},
      {"tau", "effort"}}};

std::vector<std::string_view> FieldsOf(const Suffixes& tables) {
  std::vector<std::string_view> fields;
  for (const auto& [table, field] : kFields) {
    if (std::find(tables.begin(), tables.end(), table) != tables.end()) {
      fields.push_back(field);
    }
  }
  return fields;
}

StateBlocks BlocksOf(JointTrajectory trajectory) {
  StateBlocks blocks;
  blocks.joints = std::move(trajectory.joint_names);
  blocks.time = std::move(trajectory.time);
  blocks.unused = std::move(trajectory.unused);
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

StateBlocks BlocksOfNpz(std::string_view bytes, const Suffixes& tables,
                        const std::string& name) {
  constexpr std::array<std::string_view, 1> kNames = {"joint_names"};
  std::vector<std::string_view> numbers = {"time", "tip_wrench"};
  numbers.insert(numbers.end(), tables.begin(), tables.end());
  StateBlocks blocks;
  NpzArrays arrays = ParseNpz(bytes, {numbers, kNames}, name);
  blocks.unused = std::move(arrays.others);
  for (auto& [array, table] : arrays.numbers) {
    if (array == "time") {
      // One dimension, or one column.
      if (table.rows() != 1 && table.cols() != 1) {
        throw DataError(name, "has times of several columns");
      }
      blocks.time.assign(table.data(), table.data() + table.size());
    } else if (array == "tip_wrench") {
      if (table.cols() != 6) {
        throw DataError(name, "has a tip_wrench of " +
                                  std::to_string(table.cols()) +
                                  " columns, not 6");
      }
      blocks.tip_wrench = std::move(table);
    } else {
      blocks.tables.emplace(array, std::move(table));
    }
  }
  for (auto& [array, names] : arrays.names) blocks.joints = std::move(names);
  return blocks;
}

StateBlocks BlocksOfYaml(std::string_view text, const Suffixes& tables,
                         const std::string& name) {
  return BlocksOf(ParseJointTrajectoryYaml(text, FieldsOf(tables), name));
}

StateBlocks BlocksOfJson(std::string_view text, const Suffixes& tables,
                         const std::string& name) {
  return BlocksOf(ParseJointTrajectoryJson(text, FieldsOf(tables), name));
}

}  // namespace torqued::cli

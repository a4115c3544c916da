// States as the containers keep them that name their parts.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/cpp/states.h"

namespace torqued::cli {

/// Tables of one row a state, by what they hold: "q", "v", "a", "tau".
struct StateBlocks {
  /// Joints of the columns; absent: the file does not say.
  std::optional<std::vector<std::string>> joints;
  std::vector<double> time;  // empty: none
  std::map<std::string, client::Batch> tables;
  std::optional<client::Batch> tip_wrench;  // 6 columns
  /// What else the file holds.
  std::vector<std::string> unused;
};

/// One number per state and joint: "q", "v", "a", "tau".
using Suffixes = std::vector<std::string_view>;

/// Of an .npz file with arrays time, tip_wrench, joint_names and these tables,
/// or of a trajectory_msgs/JointTrajectory. Other tables are `unused`; nothing
/// but their names is looked at. Throw DataError naming `name`.
StateBlocks BlocksOfNpz(std::string_view bytes, const Suffixes& tables,
                        const std::string& name);
StateBlocks BlocksOfYaml(std::string_view text, const Suffixes& tables,
                         const std::string& name);
StateBlocks BlocksOfJson(std::string_view text, const Suffixes& tables,
                         const std::string& name);

}  // namespace torqued::cli

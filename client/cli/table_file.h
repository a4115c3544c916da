// Files of states: columns by name, or plain columns in a stated order.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "client/cli/formats/container.h"
#include "client/cpp/states.h"
#include "torqued/v1/model_registry.pb.h"

namespace torqued::cli {

/// Where the `wanted` names stand among those `there` in the file; `what` they
/// are: "column" or "joint". Throws DataError if a name stands twice, or does
/// not stand there: that ends with the name which may be meant, one that is not
/// `known`, else with `hint`.
std::vector<Eigen::Index> PlacesOf(const std::vector<std::string>& wanted,
                                   const std::vector<std::string>& there,
                                   const std::set<std::string>& known,
                                   const std::string& what,
                                   const std::string& file,
                                   const std::string& hint = {});

struct StateTable {
  std::string name;
  /// Joint order of all columns of `states`.
  std::vector<std::string> joints;
  client::States states;
  /// Of the tip on the environment; no rows: the file has none.
  client::Batch tip_wrench;
  /// Empty where the file has none.
  std::vector<double> time;
  /// Where a row stands, for messages: line of the file, or nothing.
  std::vector<std::int64_t> lines;
  /// Columns that have no meaning here.
  std::vector<std::string> unused;

  /// "states.csv:12" or "states.npy, row 10".
  std::string Place(Eigen::Index row) const;
};

struct TableRules {
  /// What named columns may hold, and what plain columns hold, block by block.
  Suffixes suffixes;
  /// Those that must be there.
  Suffixes required;
  /// A column "time" (or a first plain column) is the time.
  bool with_time = false;
  /// Those of plain columns that may follow, and are not read.
  Suffixes ignored = {};
  /// A tip_wrench is taken; otherwise a file that has one is refused.
  bool with_wrench = false;
  /// What takes velocities and accelerations from the positions of a file that
  /// has no others, for its error; empty: nothing.
  std::string_view derived_by = {};
};

/// Reads CSV, NPY, NPZ (arrays time, q, v, a, tau, joint_names) or a
/// trajectory_msgs/JointTrajectory in YAML or JSON. `order` is the order asked
/// for, or nothing when none was: then columns whose joints the file names come
/// in the model's order, and all others are refused. Throws DataError.
StateTable ReadStateTable(const std::filesystem::path& path,
                          const v1::ModelInfo& model,
                          const std::optional<std::vector<std::string>>& order,
                          const TableRules& rules);

}  // namespace torqued::cli

// The files that hold states or torques: tables with or without the names of
// their columns, and files that name their parts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "client/cli/document.h"
#include "client/cli/errors.h"
#include "client/cpp/states.h"
#include "torqued/v1/model_registry.pb.h"

namespace torqued::cli {

/// The last two: trajectory_msgs/JointTrajectory.
enum class Container : std::uint8_t { kCsv, kNpy, kNpz, kYaml, kJson };

/// By the ending of its name; nothing for any other.
std::optional<Container> ContainerOfName(const std::filesystem::path& path);

struct CsvTable {
  /// Column names; empty when the first line already holds numbers.
  std::vector<std::string> header;
  client::Batch numbers;
  /// 1-based line of the file, per row; empty for an array.
  std::vector<std::int64_t> lines;
};

/// The first line is a header unless all of it is numbers. Empty lines and
/// lines that begin with # are skipped; names may have double quotes. All rows
/// have the same number of cells, and every cell is a number (inf and nan are).
/// `name` is in the DataError that is thrown otherwise, as by all of these.
CsvTable ParseCsv(std::string_view text, const std::string& name);

/// A table as NPY, by its first bytes, or as CSV; it has columns.
CsvTable ParseTable(std::string_view content, const std::string& name);

class CsvWriter {
 public:
  explicit CsvWriter(const std::vector<std::string>& header);

  /// Shortest decimal that reads back to the same double.
  void Number(double number);
  /// In quotes where it needs them.
  void Text(std::string_view text);
  void EndRow() { text_.back() = '\n'; }

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// One number per state and joint: "q", "v", "a", "tau".
using Suffixes = std::vector<std::string_view>;

struct StateTable {
  std::string name;  // of the file
  /// Joints of the columns; absent: the file does not say.
  std::optional<std::vector<std::string>> joints;
  std::vector<double> time;  // empty: none
  /// One row a state, by what they hold: "q", "v", "a", "tau".
  std::map<std::string, client::Batch, std::less<>> tables;
  /// The wrench of the tip on the environment, 6 columns.
  std::optional<client::Batch> tip_wrench;
  /// Other columns of the file.
  std::vector<std::string> unused;
  /// As in CsvTable.
  std::vector<std::int64_t> lines;

  /// "states.csv:12" or "states.npy, row 10", for messages.
  std::string Place(Eigen::Index row) const;
};

bool LooksLikeNpy(std::string_view bytes);

/// One array of floats of 16, 32 or 64 bits or integers of 8 to 64, signed or
/// not, in either order of bytes, C or Fortran order, with one dimension (one
/// row) or two.
client::Batch ParseNpy(std::string_view bytes, const std::string& name);

/// One dimension of names: characters, as np.array(["a", "b"]) has, or bytes.
std::vector<std::string> ParseNpyNames(std::string_view bytes,
                                       const std::string& name);

std::string NpyBytes(const client::Batch& numbers);

/// The arrays "time", "joint_names", "tip_wrench" and those of `tables`, at
/// most 2 GiB, of what np.savez and np.savez_compressed write.
StateTable ParseNpz(std::string_view bytes, const Suffixes& tables,
                    const std::string& name);

/// As np.savez writes these arrays; equal tables make equal bytes.
std::string NpzBytes(const StateTable& table);

/// The message, alone or within a "goal", a "trajectory" or a
/// "joint_trajectory". Times are {sec, nanosec} of ROS 2, {secs, nsecs} of ROS
/// 1 or plain seconds. The error has the place: "points[3].velocities[1]".
StateTable ReadJointTrajectory(const Json& document, const Suffixes& tables,
                               const std::string& name);

/// JSON, as of ROS 2. Times are rounded to nanoseconds, as the message has
/// them; those that it cannot hold, or that are the same then, are errors.
std::string JointTrajectoryJson(const StateTable& trajectory,
                                const std::string& name);

/// Indices of the `wanted` names among those `there`. `what` they are:
/// "column" or "joint". Throws DataError if a name is there twice, or not at
/// all: then with the near one that is not `known`, else with `hint`.
std::vector<Eigen::Index> PlacesOf(const std::vector<std::string>& wanted,
                                   const std::vector<std::string>& there,
                                   const std::set<std::string>& known,
                                   const std::string& what,
                                   const std::string& file,
                                   const std::string& hint = {});

struct TableRules {
  /// The quantities that named columns may have, and those of plain columns,
  /// block by block.
  Suffixes suffixes;
  /// Those that must be there.
  Suffixes required;
  /// A column "time" (or a first plain column) is the time, and a tip_wrench is
  /// taken. Otherwise a file that has one is refused.
  bool is_trajectory = false;
  /// Those of plain columns that may follow, and are not read.
  Suffixes ignored = {};
};

/// `order` is the order asked for, or nothing when none was: then columns whose
/// joints the file names come in the model's order, and all others are refused.
/// Throws DataError.
StateTable ReadStateTable(const std::filesystem::path& path,
                          const v1::ModelInfo& model,
                          const std::optional<std::vector<std::string>>& order,
                          const TableRules& rules);

}  // namespace torqued::cli

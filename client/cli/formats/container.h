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

enum class Container : std::uint8_t {
  kCsv,
  kNpy,
  kNpz,
  // trajectory_msgs/JointTrajectory
  kYaml,
  kJson,
};

/// Endings of their names, for messages.
constexpr std::string_view kContainerEndings =
    ".csv, .npy, .npz, .yaml (.yml) or .json";

/// By the ending of its name; nothing for any other.
std::optional<Container> ContainerOfName(const std::filesystem::path& path);

struct CsvTable {
  /// Column names; empty when the first line already holds numbers.
  std::vector<std::string> header;
  client::Batch numbers;
  /// 1-based line of the file, per row; empty for an array.
  std::vector<std::int64_t> lines;
};

/// The first line is a header unless all of it is numbers. Lines end in LF or
/// CR LF; empty lines and lines that begin with # are skipped; blanks around
/// cells are dropped; names may stand in double quotes. All rows have the same
/// number of cells, and every cell is a number (inf and nan are). `name` stands
/// in the DataError thrown otherwise, here with the line, as in all of these.
CsvTable ParseCsv(std::string_view text, const std::string& name);

/// A table as NPY, by its first bytes, or as CSV; it has columns.
CsvTable ParseTable(std::string_view content, const std::string& name);

/// Builds text row by row: cells, then EndRow.
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
  /// Of the tip on the environment, 6 columns.
  std::optional<client::Batch> tip_wrench;
  /// What the file holds besides.
  std::vector<std::string> unused;
  /// As in CsvTable.
  std::vector<std::int64_t> lines;

  /// "states.csv:12" or "states.npy, row 10", for messages.
  std::string Place(Eigen::Index row) const;
};

bool LooksLikeNpy(std::string_view bytes);

/// Reads one array: format versions 1 to 3, floats of 16, 32 or 64 bits and
/// integers of 8 to 64, signed or not, in either order of bytes, C or Fortran
/// order, one or two dimensions (one dimension is one row). Nothing is
/// allocated before the size has been checked.
client::Batch ParseNpy(std::string_view bytes, const std::string& name);

/// Reads a list of names (one dimension): of characters, as np.array(["a",
/// "b"]) is, or of bytes in UTF-8.
std::vector<std::string> ParseNpyNames(std::string_view bytes,
                                       const std::string& name);

/// Version 1.0, little-endian float64, C order, two dimensions.
std::string NpyBytes(const client::Batch& numbers);

/// Of what np.savez and np.savez_compressed write the arrays "time",
/// "joint_names", "tip_wrench" and those of `tables`, at most 2 GiB; the others
/// are not unpacked.
StateTable ParseNpz(std::string_view bytes, const Suffixes& tables,
                    const std::string& name);

/// As np.savez writes these arrays; equal tables make equal bytes. Names are
/// UTF-8.
std::string NpzBytes(const StateTable& table);

/// Levels of a trajectory_msgs/JointTrajectory; goals within goals have fewer.
constexpr int kTrajectoryDepth = 16;

/// Of the message, alone or within a "goal", a "trajectory" or a
/// "joint_trajectory", one in the other: of `tables` those that the points
/// have; at others nobody looks. Times are {sec, nanosec} of ROS 2, {secs,
/// nsecs} of ROS 1 or plain seconds. The error has the place:
/// "points[3].velocities[1]".
StateTable ReadJointTrajectory(const Json& document, const Suffixes& tables,
                               const std::string& name);

/// JSON, as of ROS 2. Times are rounded to nanoseconds, as the message has
/// them; all other numbers read back to the same doubles, and none may be
/// infinite or not a number. Times that the message cannot hold, or that are
/// the same once they are rounded, are errors.
std::string JointTrajectoryJson(const StateTable& trajectory,
                                const std::string& name);

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

struct TableRules {
  /// What named columns may hold, and what plain columns hold, block by block.
  Suffixes suffixes;
  /// Those that must be there.
  Suffixes required;
  /// A column "time" (or a first plain column) is the time, and a tip_wrench is
  /// taken. Otherwise a file that has one is refused.
  bool is_trajectory = false;
  /// Those of plain columns that may follow, and are not read.
  Suffixes ignored = {};
};

/// Reads a container, told by its first bytes or, if these do not tell, by its
/// name; otherwise it is CSV. `order` is the order asked for, or nothing when
/// none was: then columns whose joints the file names come in the model's
/// order, and all others are refused. Throws DataError.
StateTable ReadStateTable(const std::filesystem::path& path,
                          const v1::ModelInfo& model,
                          const std::optional<std::vector<std::string>>& order,
                          const TableRules& rules);

}  // namespace torqued::cli

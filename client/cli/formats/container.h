// The files that hold states or torques.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/cli/errors.h"
#include "client/cli/formats/csv.h"
#include "core/base/text.h"

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

/// By its first bytes or, if these do not tell, by its name; otherwise CSV.
Container ContainerOfContent(std::string_view content,
                             const std::filesystem::path& path);

/// A table as NPY, by its first bytes, or as CSV; it has columns. Throws
/// DataError naming `name`, as all of these do.
CsvTable ParseTable(std::string_view content, const std::string& name);

/// One number per state and joint: "q", "v", "a", "tau".
using Suffixes = std::vector<std::string_view>;

/// States as the files keep them that name their parts.
struct StateBlocks {
  /// Joints of the columns; absent: the file does not say.
  std::optional<std::vector<std::string>> joints;
  std::vector<double> time;  // empty: none
  /// One row a state, by what they hold: "q", "v", "a", "tau".
  std::map<std::string, client::Batch, std::less<>> tables;
  std::optional<client::Batch> tip_wrench;  // 6 columns
  /// What else the file holds.
  std::vector<std::string> unused;
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
StateBlocks ParseNpz(std::string_view bytes, const Suffixes& tables,
                     const std::string& name);

/// As np.savez writes these arrays; equal blocks make equal bytes. What is no
/// UTF-8 in a name becomes U+FFFD.
std::string NpzBytes(const StateBlocks& blocks);

/// Levels of a trajectory_msgs/JointTrajectory; goals within goals have fewer.
constexpr int kTrajectoryDepth = 16;

/// Of the message, alone or within a "goal", a "trajectory" or a
/// "joint_trajectory", one in the other: of `tables` those that the points
/// have; at others nobody looks. Times are {sec, nanosec} of ROS 2, {secs,
/// nsecs} of ROS 1 or plain seconds. The error has the place:
/// "points[3].velocities[1]".
StateBlocks ReadJointTrajectory(const nlohmann::ordered_json& document,
                                const Suffixes& tables,
                                const std::string& name);

/// JSON, as of ROS 2. Times are rounded to nanoseconds, as the message has
/// them; all other numbers read back to the same doubles, and none may be
/// infinite or not a number. Times that the message cannot hold, or that are
/// the same once they are rounded, are errors.
std::string JointTrajectoryJson(const StateBlocks& trajectory,
                                const std::string& name);

/// Throws DataError with the pieces of the sentence if it does not hold.
void RequireData(bool holds, const std::string& place, const auto&... pieces) {
  if (!holds) throw DataError(place, Cat(pieces...));
}

}  // namespace torqued::cli

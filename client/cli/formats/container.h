// The kinds of files that hold states or torques.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/cli/formats/csv.h"

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
/// DataError naming `name`.
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

}  // namespace torqued::cli

// The kinds of files that hold states or torques.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

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

}  // namespace torqued::cli

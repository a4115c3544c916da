// The kinds of files that hold states or torques.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

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

/// By its first bytes, and where these do not tell by its name; CSV where
/// neither does.
Container ContainerOfContent(std::string_view content,
                             const std::filesystem::path& path);

}  // namespace torqued::cli

// Whole files in and out.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace torqued::cli {

/// Throws DataError.
std::string ReadFile(const std::filesystem::path& path);

/// Replaces the file at once: readers see the old or the new content, never a
/// part. Throws DataError.
void WriteFile(const std::filesystem::path& path, std::string_view content);

struct FlaggedPath {
  std::string flag;  // "--html"
  std::string path;  // empty: not given
};

/// Throws UsageError if two outputs are one file, or an output is a file that
/// is read, by whatever names and links. Devices and pipes take several.
void RequireSeparateFiles(const std::vector<FlaggedPath>& outputs,
                          const std::vector<FlaggedPath>& inputs);

}  // namespace torqued::cli

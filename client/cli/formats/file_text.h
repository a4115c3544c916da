// Whole files in and out.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace torqued::cli {

/// Throws DataError.
std::string ReadFile(const std::filesystem::path& path);

/// Replaces the file at once: readers see the old or the new content, never a
/// part. Throws DataError.
void WriteFile(const std::filesystem::path& path, std::string_view content);

}  // namespace torqued::cli

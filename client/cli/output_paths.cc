#include "client/cli/output_paths.h"

#include <cstddef>
#include <filesystem>
#include <system_error>

#include "client/cli/errors.h"

namespace torqued::cli {
namespace {

namespace fs = std::filesystem;

/// The path without links, as far as it exists.
fs::path Resolved(const std::string& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  const fs::path resolved = fs::weakly_canonical(absolute, error);
  return error ? absolute.lexically_normal() : resolved;
}

bool AreOneFile(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return false;
  std::error_code error;
  if (fs::exists(a, error) && !fs::is_regular_file(a, error)) return false;
  if (Resolved(a) == Resolved(b)) return true;
  // Hard links; false where one of them is not there.
  return fs::equivalent(a, b, error) && !error;
}

void Compare(const FlaggedPath& output, const FlaggedPath& other,
             const std::string& what) {
  if (!AreOneFile(output.path, other.path)) return;
  const std::string name =
      output.path == other.path ? "" : " (" + other.path + ")";
  throw UsageError(output.flag, output.path + " is also the file of " +
                                    other.flag + name + what);
}

}  // namespace

void RequireSeparateFiles(const std::vector<FlaggedPath>& outputs,
                          const std::vector<FlaggedPath>& inputs) {
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    for (std::size_t before = 0; before < k; ++before) {
      Compare(outputs[k], outputs[before], "");
    }
    for (const FlaggedPath& input : inputs) {
      Compare(outputs[k], input, ", which is read");
    }
  }
}

}  // namespace torqued::cli

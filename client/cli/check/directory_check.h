// Verdicts on all trajectories below a directory.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "client/cli/check/checker.h"
#include "client/cli/check/file_result.h"

namespace torqued::cli {

struct DirectoryCheck {
  std::string directory;
  Json question;                    // what makes results comparable
  std::vector<FileResult> results;  // the worst first
  std::size_t resumed = 0;          // of these, from the run before
  double seconds = 0;

  std::size_t errors() const;
  std::size_t failed() const;
  std::size_t passed() const;
  /// See FileResult; empty without a verdict.
  Json asked_words() const;
};

/// The files below it, also in directories, whose names end like a container's;
/// what begins with a dot is left out, and so are `others`, which have another
/// part in the run. By name. Throws DataError where there is none.
std::vector<std::string> TrajectoriesBelow(
    const std::filesystem::path& directory,
    const std::vector<std::string>& others);

/// Checks them, `jobs` at a time, and shows how far that is. With `journal` (a
/// path, or empty) results are kept as they come; files that have one there,
/// and did not change, are not checked again; a name that is no UTF-8 has none.
/// A JSON or YAML file that is no trajectory is left out, with a remark. What
/// is wrong with a file is its result; what is wrong with the options or the
/// server ends the run. Throws DataError or client::Error.
DirectoryCheck CheckDirectory(Session& session, const Checker& checker,
                              const std::filesystem::path& directory,
                              const std::vector<std::string>& others,
                              const std::string& journal, int jobs);

}  // namespace torqued::cli

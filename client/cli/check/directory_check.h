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
};

/// The files below it, also in directories, whose names end like a container's;
/// what begins with a dot is left out. By name. Throws DataError where there is
/// none.
std::vector<std::string> TrajectoriesBelow(
    const std::filesystem::path& directory);

/// Checks them, `jobs` at a time, and shows how far that is. With `journal` (a
/// path, or empty) results are kept as they come; files that have one there,
/// and did not change, are not checked again. What is wrong with a file is its
/// result; what is wrong with the server ends the run. Throws DataError or
/// client::Error.
DirectoryCheck CheckDirectory(Session& session, const Checker& checker,
                              const std::filesystem::path& directory,
                              const std::string& journal, int jobs);

}  // namespace torqued::cli

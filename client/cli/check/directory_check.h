// Verdicts on all trajectories below a directory.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "client/cli/check/checker.h"

namespace torqued::cli {

/// Checks the files below a directory whose names end like a container's,
/// `jobs` at a time. Names that begin with a dot and `others`, which the run
/// uses for something else, are left out, and, with a remark, JSON and YAML
/// files that hold no trajectory. With `journal` (a path, or empty) results are
/// kept, and unchanged files with a verdict there are not checked again; a name
/// that is no UTF-8 is not kept. An error of a file is its result; an error of
/// the options or the server ends the run. Throws DataError or client::Error.
/// Returns what `--output json` prints, the worst results first.
Json CheckDirectory(Session& session, const Checker& checker,
                    const std::filesystem::path& directory,
                    const std::vector<std::string>& others,
                    const std::string& journal, int jobs);

}  // namespace torqued::cli

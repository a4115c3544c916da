// Verdicts on all trajectories below a directory, in every form in which they
// are told.
#pragma once

#include <iosfwd>
#include <string>

#include "client/cli/check/directory_check.h"
#include "client/cli/message_json.h"

namespace torqued::cli {

/// Counts, and the ten worst.
void PrintDirectory(const DirectoryCheck& check, std::ostream& out);
/// All results, the worst first.
Json DirectoryJson(const DirectoryCheck& check);
/// A row for each file, the worst first.
std::string DirectoryCsv(const DirectoryCheck& check);
/// JUnit's XML: the directory is a suite, a file a case.
std::string DirectoryJunit(const DirectoryCheck& check);

}  // namespace torqued::cli

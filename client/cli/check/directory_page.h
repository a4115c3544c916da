// The verdicts on a directory as a page to look at.
#pragma once

#include <string>

#include "client/cli/check/directory_check.h"

namespace torqued::cli {

/// HTML that needs nothing else: totals, what was asked, the worst ten, all
/// files by rank as far as a page has room, and those without a verdict.
std::string DirectoryPage(const DirectoryCheck& check);

}  // namespace torqued::cli

// What was asked, on a page.
#pragma once

#include <string>
#include <vector>

#include "client/cli/check/asked_words.h"

namespace torqued::cli {

/// Rows of a list of facts: gravity, payload, friction, rates and limits
/// always, else what is not at its default.
std::string AskedFacts(const std::vector<AskedItem>& items);

}  // namespace torqued::cli

// Names that a mistyped name may have meant.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace torqued::flags {

/// At most 5, the nearest first: those within a third of the name's length (at
/// least 2) in insertions, deletions and replacements, and those that go on
/// where the name ends.
std::vector<std::string> NearNames(std::string_view name,
                                   std::span<const std::string> known);

}  // namespace torqued::flags

// Names that a mistyped name may have meant.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace torqued::flags {

/// At most 5, the nearest first: those within a third of the name's length (at
/// least 2) in insertions, deletions and replacements, and those that go on
/// where the name ends. Nothing is near to a name of more than 128 bytes, and
/// only the first 200 of about its length are compared.
std::vector<std::string> NearNames(std::string_view name,
                                   std::span<const std::string> known);

/// The end of a sentence about an unknown name: its NearNames ("; did you mean
/// a, b?") if there are some, else the first 5 of `known` ("; known are a, b").
/// Empty if none is known.
std::string NameHint(std::span<const std::string> near,
                     std::span<const std::string> known);

}  // namespace torqued::flags

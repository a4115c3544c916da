// Names that a mistyped name may have meant.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace torqued::flags {

/// What one search may take, however many names are known and however long they
/// are: a step takes in a character of a known name beside 64 of the name, some
/// 3 ns, so a search 0.2 ms.
inline constexpr std::size_t kMostSteps = 40'000;

/// At most 5, the nearest first: those within a third of the name's length (at
/// least 2) in insertions, deletions and replacements, and those that go on
/// where the name ends. Nothing is near to a name of more than 128 bytes. Names
/// whose comparison would go beyond kMostSteps are passed over: behind 1000 of
/// 40 bytes, or 156 of 128 bytes.
std::vector<std::string> NearNames(std::string_view name,
                                   std::span<const std::string> known);

/// The end of a sentence about a name that there is not: "; did you mean a, b?"
/// with its NearNames, where there are some, else "; known are a, b" with the
/// first 5 of `known`; empty where nothing is known.
std::string NameHint(std::span<const std::string> near,
                     std::span<const std::string> known);

}  // namespace torqued::flags

#include "server/flags/near_names.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace torqued::flags {
namespace {

// A server may know 10,000 names, and anybody may ask for one that it does not.
constexpr std::size_t kLongest = 128;
constexpr std::size_t kMostCompared = 200;
constexpr std::size_t kMax = 5;

/// Insertions, deletions and replacements that make one of the other.
std::size_t Distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

std::string Join(std::span<const std::string> names) {
  std::string joined;
  for (const std::string& name : names) {
    joined += (joined.empty() ? "" : ", ") + name;
  }
  return joined;
}

}  // namespace

std::vector<std::string> NearNames(std::string_view name,
                                   std::span<const std::string> known) {
  if (name.empty() || name.size() > kLongest) return {};
  const std::size_t tolerance = std::max<std::size_t>(2, name.size() / 3);
  std::size_t compared = 0;
  std::vector<std::pair<std::size_t, std::string_view>> near;
  for (const std::string& candidate : known) {
    const std::size_t longer = std::max(name.size(), candidate.size()) -
                               std::min(name.size(), candidate.size());
    if (candidate.starts_with(name)) {
      near.emplace_back(longer, candidate);
    } else if (longer <= tolerance && ++compared <= kMostCompared) {
      const std::size_t distance = Distance(name, candidate);
      // Nothing is near to a name of which no character is left.
      if (distance <= tolerance && distance < name.size()) {
        near.emplace_back(distance, candidate);
      }
    }
  }
  std::sort(near.begin(), near.end());
  std::vector<std::string> names;
  for (const auto& [distance, candidate] : near) {
    if (names.size() < kMax) names.emplace_back(candidate);
  }
  return names;
}

std::string NameHint(std::span<const std::string> near,
                     std::span<const std::string> known) {
  if (!near.empty()) return "; did you mean " + Join(near) + "?";
  if (known.empty()) return {};
  return "; known are " + Join(known.first(std::min(known.size(), kMax))) +
         (known.size() > kMax ? ", ..." : "");
}

}  // namespace torqued::flags

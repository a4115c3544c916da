#include "server/flags/near_names.h"

#include <absl/strings/str_join.h>

#include <algorithm>
#include <numeric>
#include <ranges>
#include <set>
#include <utility>

namespace torqued::flags {
namespace {

// A server may know 10,000 names, and anybody may ask for one that it does not.
constexpr std::size_t kLongest = 128, kMostCompared = 200, kMax = 5;

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

}  // namespace

std::vector<std::string> NearNames(std::string_view name,
                                   std::span<const std::string> known) {
  if (name.empty() || name.size() > kLongest) return {};
  // Nothing is near to a name of which no character is left.
  const std::size_t tolerance =
      std::min(std::max<std::size_t>(2, name.size() / 3), name.size() - 1);
  std::size_t compared = 0;
  std::set<std::pair<std::size_t, std::string>> near;
  for (const std::string& candidate : known) {
    const std::size_t longer = std::max(name.size(), candidate.size()) -
                               std::min(name.size(), candidate.size());
    std::size_t distance = longer;
    if (!candidate.starts_with(name)) {
      if (longer > tolerance || ++compared > kMostCompared) continue;
      distance = Distance(name, candidate);
      if (distance > tolerance) continue;
    }
    near.emplace(distance, candidate);
  }
  const auto nearest =
      near | std::views::values | std::views::take(kMax) | std::views::common;
  return {nearest.begin(), nearest.end()};
}

std::string NameHint(std::span<const std::string> near,
                     std::span<const std::string> known) {
  if (!near.empty()) return "; did you mean " + absl::StrJoin(near, ", ") + "?";
  if (known.empty()) return {};
  const auto first = known.first(std::min(known.size(), kMax));
  return "; known are " + absl::StrJoin(first, ", ") +
         (known.size() > kMax ? ", ..." : "");
}

}  // namespace torqued::flags

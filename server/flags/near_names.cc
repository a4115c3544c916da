#include "server/flags/near_names.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace torqued::flags {
namespace {

std::size_t EditDistance(std::string_view a, std::string_view b) {
  // row[j]: distance of the first i characters of a to the first j of b.
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

// Of a name that is compared, which takes time with the square of it.
constexpr std::size_t kLongest = 128;
constexpr std::size_t kMax = 5;

std::string Join(std::span<const std::string> names) {
  std::string joined;
  for (const std::string& name : names) {
    if (!joined.empty()) joined += ", ";
    joined += name;
  }
  return joined;
}

}  // namespace

std::vector<std::string> NearNames(std::string_view name,
                                   std::span<const std::string> known) {
  if (name.size() > kLongest) return {};
  const std::size_t tolerance = std::max<std::size_t>(2, name.size() / 3);
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& candidate : known) {
    const std::size_t longer = std::max(name.size(), candidate.size()) -
                               std::min(name.size(), candidate.size());
    if (!name.empty() && candidate.starts_with(name)) {
      near.emplace_back(longer, candidate);
    } else if (longer <= tolerance) {
      const std::size_t distance = EditDistance(name, candidate);
      // Nothing is near to a name of which no character is left.
      if (distance <= tolerance && distance < name.size()) {
        near.emplace_back(distance, candidate);
      }
    }
  }
  std::sort(near.begin(), near.end());
  if (near.size() > kMax) near.resize(kMax);
  std::vector<std::string> names;
  names.reserve(near.size());
  for (auto& [distance, candidate] : near) {
    names.push_back(std::move(candidate));
  }
  return names;
}

std::string NameHint(std::span<const std::string> near,
                     std::span<const std::string> known) {
  if (!near.empty()) return "; did you mean " + Join(near) + "?";
  if (known.empty()) return {};
  const bool more = known.size() > kMax;
  return "; known are " + Join(known.first(more ? kMax : known.size())) +
         (more ? ", ..." : "");
}

}  // namespace torqued::flags

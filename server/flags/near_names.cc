#include "server/flags/near_names.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace torqued::flags {
namespace {

// Of a name that is compared.
constexpr std::size_t kLongest = 128;
constexpr std::size_t kMax = 5;

using Word = std::uint64_t;
constexpr std::size_t kBits = 64;
constexpr std::size_t kWords = kLongest / kBits;

/// Edit distances of texts to one name, 64 characters of the name at a time:
/// Myers, "A fast bit-vector algorithm for approximate string matching based on
/// dynamic programming", J. ACM 46 (1999), in the form of Hyyrö (2003) that
/// begins every column with its number.
class DistanceTo {
 public:
  /// Of 1 to kLongest bytes.
  explicit DistanceTo(std::string_view name)
      : size_(name.size()), words_((name.size() + kBits - 1) / kBits) {
    for (std::size_t i = 0; i < size_; ++i) {
      places_[static_cast<unsigned char>(name[i])][i / kBits] |= Word{1}
                                                                 << i % kBits;
    }
  }

  /// One step for each character of the text and word of the name.
  std::size_t Steps(std::string_view text) const {
    return words_ * text.size();
  }

  std::size_t operator()(std::string_view text) const {
    // Bit i: whether row i + 1 of the column of distances is one more (less)
    // than row i.
    std::array<Word, kWords> more, less{};
    more.fill(~Word{0});
    std::size_t distance = size_;
    const Word last = Word{1} << (size_ - 1) % kBits;
    for (const char c : text) {
      const auto& equal = places_[static_cast<unsigned char>(c)];
      // Of the row above a word: to the right by one more (less).
      Word more_in = 1, less_in = 0;
      for (std::size_t w = 0; w < words_; ++w) {
        const Word match = equal[w] | less_in;
        const Word vertical = equal[w] | less[w];
        const Word diagonal = (((match & more[w]) + more[w]) ^ more[w]) | match;
        Word right_more = less[w] | ~(diagonal | more[w]);
        Word right_less = more[w] & diagonal;
        if (w + 1 == words_) {
          if ((right_more & last) != 0) ++distance;
          if ((right_less & last) != 0) --distance;
        }
        const Word more_out = right_more >> (kBits - 1);
        const Word less_out = right_less >> (kBits - 1);
        right_more = right_more << 1 | more_in;
        right_less = right_less << 1 | less_in;
        more[w] = right_less | ~(vertical | right_more);
        less[w] = right_more & vertical;
        more_in = more_out;
        less_in = less_out;
      }
    }
    return distance;
  }

 private:
  std::size_t size_, words_;
  // Of each character, where it stands in the name.
  std::array<std::array<Word, kWords>, 256> places_{};
};

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
  if (name.empty() || name.size() > kLongest) return {};
  const std::size_t tolerance = std::max<std::size_t>(2, name.size() / 3);
  const DistanceTo distance_to(name);
  std::size_t taken = 0;
  std::vector<std::pair<std::size_t, std::string_view>> near;
  for (const std::string& candidate : known) {
    const std::size_t longer = std::max(name.size(), candidate.size()) -
                               std::min(name.size(), candidate.size());
    if (candidate.starts_with(name)) {
      near.emplace_back(longer, candidate);
    } else if (longer <= tolerance) {
      const std::size_t needed = distance_to.Steps(candidate);
      if (taken + needed > kMostSteps) continue;
      taken += needed;
      const std::size_t distance = distance_to(candidate);
      // Nothing is near to a name of which no character is left.
      if (distance <= tolerance && distance < name.size()) {
        near.emplace_back(distance, candidate);
      }
    }
  }
  const std::size_t listed = std::min(near.size(), kMax);
  std::partial_sort(near.begin(),
                    near.begin() + static_cast<std::ptrdiff_t>(listed),
                    near.end());
  std::vector<std::string> names;
  names.reserve(listed);
  for (std::size_t i = 0; i < listed; ++i) {
    names.emplace_back(near[i].second);
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

#include "server/errors/utf8.h"

#include <algorithm>
#include <cstdint>

namespace torqued::server {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD
constexpr std::string_view kCut = "...";

/// Bytes of the well-formed character at the start of `text`, 0 if there is
/// none. Unicode 15, table 3-7.
std::size_t CharacterLength(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint8_t>(text[i]);
  };
  const auto in = [&](std::size_t i, int low, int high) {
    return i < text.size() && byte(i) >= low && byte(i) <= high;
  };
  const auto tail = [&](std::size_t i) { return in(i, 0x80, 0xBF); };
  const int first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return tail(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const int low = first == 0xE0 ? 0xA0 : 0x80;   // no overlong forms
    const int high = first == 0xED ? 0x9F : 0xBF;  // no surrogates
    return in(1, low, high) && tail(2) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const int low = first == 0xF0 ? 0x90 : 0x80;
    const int high = first == 0xF4 ? 0x8F : 0xBF;  // up to U+10FFFF
    return in(1, low, high) && tail(2) && tail(3) ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::string CleanText(std::string_view text, std::size_t max_bytes) {
  const bool is_ascii = std::all_of(text.begin(), text.end(), [](char c) {
    return static_cast<std::uint8_t>(c) < 0x80;
  });
  if (is_ascii && text.size() <= max_bytes) return std::string(text);
  std::string clean;
  clean.reserve(std::min(text.size(), max_bytes));
  // Where `clean` may end so that kCut still fits behind it.
  std::size_t cut = 0;
  while (!text.empty()) {
    const std::size_t length = CharacterLength(text);
    const std::string_view character =
        length == 0 ? kReplacement : text.substr(0, length);
    if (clean.size() + character.size() > max_bytes) {
      clean.resize(cut);
      return clean.append(kCut);
    }
    clean.append(character);
    if (clean.size() + kCut.size() <= max_bytes) cut = clean.size();
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return clean;
}

}  // namespace torqued::server

#include "client/cli/formats/utf8.h"

#include <cstddef>

namespace torqued::cli {
namespace {

constexpr std::uint32_t kReplacement = 0xFFFD;

bool IsCodePoint(std::uint32_t code) {
  return code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
}

/// How many bytes continue the first one of a code point; less than 0 for a
/// byte that begins none.
int Following(unsigned char first) {
  if (first < 0x80) return 0;
  if (first >= 0xC2 && first < 0xE0) return 1;
  if (first >= 0xE0 && first < 0xF0) return 2;
  return first >= 0xF0 && first < 0xF5 ? 3 : -1;
}

/// The smallest code point that needs so many bytes more.
std::uint32_t Smallest(int following) {
  switch (following) {
    case 2:
      return 0x800;
    case 3:
      return 0x10000;
    default:
      return 0;  // C0 and C1 begin nothing
  }
}

}  // namespace

std::vector<std::uint32_t> CodePoints(std::string_view text) {
  std::vector<std::uint32_t> codes;
  while (!text.empty()) {
    const auto first = static_cast<unsigned char>(text.front());
    const int following = Following(first);
    std::uint32_t code = first;
    if (following > 0) code &= 0x3FU >> following;
    int read = 0;
    for (; read < following; ++read) {
      const auto place = static_cast<std::size_t>(read) + 1;
      if (place == text.size()) break;
      const auto byte = static_cast<unsigned char>(text[place]);
      if ((byte & 0xC0) != 0x80) break;
      code = code << 6 | (byte & 0x3FU);
    }
    const bool whole =
        read == following && IsCodePoint(code) && code >= Smallest(following);
    codes.push_back(whole ? code : kReplacement);
    text.remove_prefix(static_cast<std::size_t>(read) + 1);
  }
  return codes;
}

bool IsUtf8(std::string_view text) {
  std::string again;
  again.reserve(text.size());
  for (const std::uint32_t code : CodePoints(text)) AppendUtf8(code, &again);
  return again == text;
}

bool Steers(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x61C ||
         code == 0x200E || code == 0x200F ||
         (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069);
}

void AppendUtf8(std::uint32_t code, std::string* text) {
  if (!IsCodePoint(code)) code = kReplacement;
  const auto add = [text](std::uint32_t byte) {
    *text += static_cast<char>(static_cast<unsigned char>(byte));
  };
  const auto add_six = [&](int shift) { add(0x80 | (code >> shift & 0x3F)); };
  if (code < 0x80) {
    add(code);
  } else if (code < 0x800) {
    add(0xC0 | code >> 6);
    add_six(0);
  } else if (code < 0x10000) {
    add(0xE0 | code >> 12);
    add_six(6);
    add_six(0);
  } else {
    add(0xF0 | code >> 18);
    add_six(12);
    add_six(6);
    add_six(0);
  }
}

}  // namespace torqued::cli

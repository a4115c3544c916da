#include "core/base/text.h"

#include <algorithm>
#include <charconv>

namespace torqued {
namespace {

constexpr std::size_t kQuotedBytes = 80;
constexpr std::size_t kNamesListed = 8;

// Length of the well-formed UTF-8 sequence at the start of `text`, or 0.
std::size_t SequenceLength(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return static_cast<unsigned char>(text[i]);
  };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  // The second byte's range excludes overlong forms, surrogates and code
  // points beyond U+10FFFF.
  std::size_t length = 0;
  unsigned char low = 0x80, high = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  }
  if (length == 0 || text.size() < length) return 0;
  if (byte(1) < low || byte(1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
  }
  return length;
}

// Of a well-formed sequence.
char32_t CodePoint(std::string_view sequence) {
  const auto lead = static_cast<unsigned char>(sequence.front());
  if (sequence.size() == 1) return lead;
  // The lead byte has a one for each byte of the sequence, then a zero.
  char32_t code_point = lead & (0x7Fu >> sequence.size());
  for (const char c : sequence.substr(1)) {
    code_point = code_point << 6 | (static_cast<unsigned char>(c) & 0x3Fu);
  }
  return code_point;
}

bool IsControlOrBidi(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c <= 0x9F) || (c >= 0x2028 && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069);
}

// Names may have these, but they turn what stands beside them.
bool IsMarkOfDirection(char32_t c) {
  return c == 0x061C || c == 0x200E || c == 0x200F;
}

std::string Hex(char32_t value, int digits, const char* alphabet) {
  std::string text;
  while (digits-- > 0) text += alphabet[value >> 4 * digits & 15];
  return text;
}

constexpr char kLower[] = "0123456789abcdef";
constexpr char kUpper[] = "0123456789ABCDEF";

}  // namespace

std::size_t FindInvalidUtf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t length = SequenceLength(text.substr(at));
    if (length == 0) return at;
    at += length;
  }
  return std::string_view::npos;
}

std::optional<ControlCharacter> FindControlCharacter(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t length = SequenceLength(text.substr(at));
    if (length == 0) break;
    const char32_t code_point = CodePoint(text.substr(at, length));
    if (IsControlOrBidi(code_point)) return ControlCharacter{at, code_point};
    at += length;
  }
  return std::nullopt;
}

std::string CodePointText(char32_t code_point) {
  const int digits = code_point > 0xFFFFF ? 6 : code_point > 0xFFFF ? 5 : 4;
  return "U+" + Hex(code_point, digits, kUpper);
}

std::string EscapedAsInJson(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = std::max<std::size_t>(1, SequenceLength(text));
    const char32_t c = CodePoint(text.substr(0, length));
    if (IsControlOrBidi(c) || IsMarkOfDirection(c)) {
      out += "\\u" + Hex(c, 4, kLower);
    } else {
      out.append(text.substr(0, length));
    }
    text.remove_prefix(length);
  }
  return out;
}

std::string Printable(std::string_view text, std::size_t max_bytes) {
  std::string out;
  out.reserve(std::min(text.size(), max_bytes) + 4);
  while (!text.empty()) {
    if (out.size() >= max_bytes) return out + "...";
    const std::size_t length = SequenceLength(text);
    const std::string_view character =
        text.substr(0, std::max<std::size_t>(1, length));
    const auto byte = static_cast<unsigned char>(text.front());
    if (length == 0 || (length == 1 && IsControlOrBidi(byte))) {
      out += "\\x" + Hex(byte, 2, kLower);
    } else {
      out += EscapedAsInJson(character);
    }
    text.remove_prefix(character.size());
  }
  return out;
}

std::string Quoted(std::string_view text) {
  return Cat("'", Printable(text, kQuotedBytes), "'");
}

std::string QuotedList(std::span<const std::string_view> names) {
  const std::size_t listed = std::min(names.size(), kNamesListed);
  std::string text;
  for (const std::string_view name : names.first(listed)) {
    text += Cat(text.empty() ? "" : ", ", Quoted(name));
  }
  if (names.size() == listed) return text;
  return Cat(text, " and ", std::to_string(names.size() - listed), " more");
}

std::string NumberText(double value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return std::string(buffer, end);
}

std::string RoundedText(double value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value,
                                 std::chars_format::general, 6)
                       .ptr;
  return std::string(buffer, end);
}

}  // namespace torqued

#include "core/model/text.h"

#include <algorithm>
#include <charconv>

namespace torqued {
namespace {

constexpr std::size_t kQuotedBytes = 80;

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

bool Steers(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c <= 0x9F) || (c >= 0x2028 && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069);
}

// Names may have these, but they turn what stands beside them.
bool IsMarkOfDirection(char32_t c) {
  return c == 0x061C || c == 0x200E || c == 0x200F;
}

constexpr char kHexDigits[] = "0123456789abcdef";

void AppendByteEscape(char c, std::string* text) {
  const auto u = static_cast<unsigned char>(c);
  *text += {'\\', 'x', kHexDigits[u >> 4], kHexDigits[u & 15]};
}

// What steers is below U+10000.
void AppendJsonEscape(char32_t c, std::string* text) {
  *text += {'\\',
            'u',
            kHexDigits[c >> 12],
            kHexDigits[c >> 8 & 15],
            kHexDigits[c >> 4 & 15],
            kHexDigits[c & 15]};
}

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

std::optional<SteeringCharacter> FindSteeringCharacter(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t length = SequenceLength(text.substr(at));
    if (length == 0) break;
    const char32_t code_point = CodePoint(text.substr(at, length));
    if (Steers(code_point)) return SteeringCharacter{at, code_point};
    at += length;
  }
  return std::nullopt;
}

std::string CodePointText(char32_t code_point) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string digits;
  for (int shift = 20; shift >= 0; shift -= 4) {
    if (digits.empty() && shift > 12 && code_point >> shift == 0) continue;
    digits += kHex[code_point >> shift & 15];
  }
  return "U+" + digits;
}

std::string EscapedAsInJson(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = std::max<std::size_t>(1, SequenceLength(text));
    const std::string_view character = text.substr(0, length);
    const char32_t c = CodePoint(character);
    if (Steers(c) || IsMarkOfDirection(c)) {
      AppendJsonEscape(c, &out);
    } else {
      out.append(character);
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
    const char32_t c = length == 0 ? 0 : CodePoint(text.substr(0, length));
    if (length == 0 || (length == 1 && Steers(c))) {
      AppendByteEscape(text.front(), &out);
    } else if (Steers(c) || IsMarkOfDirection(c)) {
      AppendJsonEscape(c, &out);
    } else {
      out.append(text.substr(0, length));
    }
    text.remove_prefix(std::max<std::size_t>(1, length));
  }
  return out;
}

std::string Quoted(std::string_view text) {
  return Cat("'", Printable(text, kQuotedBytes), "'");
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

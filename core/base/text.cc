#include "core/base/text.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <locale>
#include <sstream>
#include <system_error>

namespace torqued {
namespace {

constexpr std::size_t kQuotedBytes = 80;
constexpr std::size_t kNamesListed = 8;

bool IsControlOrBidi(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c <= 0x9F) || (c >= 0x2028 && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069);
}

// Names may have these, but they turn what stands beside them.
bool IsMarkOfDirection(char32_t c) {
  return c == 0x061C || c == 0x200E || c == 0x200F;
}

std::string Hex(char32_t value, int digits) {
  std::string text;
  while (digits-- > 0) text += "0123456789abcdef"[value >> 4 * digits & 15];
  return text;
}

// EscapedAsInJson or, with bytes that are not text as \xNN, Printable.
std::string Escaped(std::string_view text, std::size_t max_bytes,
                    bool in_json) {
  std::string out;
  out.reserve(std::min(text.size(), max_bytes) + 4);
  while (!text.empty()) {
    if (out.size() >= max_bytes) return out + "...";
    const auto [length, c] = FirstCharacter(text);
    const std::size_t bytes = std::max<std::size_t>(1, length);
    if (!in_json && (length == 0 || (length == 1 && IsControlOrBidi(c)))) {
      out += "\\x" + Hex(c, 2);
    } else if (IsControlOrBidi(c) || IsMarkOfDirection(c)) {
      out += "\\u" + Hex(c, 4);
    } else {
      out.append(text.substr(0, bytes));
    }
    text.remove_prefix(bytes);
  }
  return out;
}

constexpr std::string_view kSpace = " \t\n\r";

// Of a number that double precision cannot hold: whether it is too small rather
// than too large.
bool IsTiny(std::string_view word) {
  std::istringstream stream{std::string(word)};
  stream.imbue(std::locale::classic());
  double nearest = 0;
  stream >> nearest;
  return std::abs(nearest) < 1;
}

std::string ParseWord(std::string_view word, double& value) {
  const std::string as_given = Quoted(word);
  if (word.starts_with('+')) {
    word.remove_prefix(1);
    if (word.starts_with('-')) word = {};
  }
  const auto [end, error] =
      std::from_chars(word.data(), word.data() + word.size(), value);
  if (error == std::errc::invalid_argument ||
      end != word.data() + word.size()) {
    return as_given +
           (word.find("${") != std::string_view::npos
                ? " is a xacro expression; expand the file by xacro first"
                : " is not a number; write one like -1.5e-3, without a unit, "
                  "since all are SI");
  }
  if (error == std::errc::result_out_of_range) {
    if (!IsTiny(word)) {
      return as_given + " is outside the range of double precision";
    }
    value = word.starts_with('-') ? -0.0 : 0.0;
  }
  return std::isfinite(value) ? "" : as_given + " is not finite";
}

}  // namespace

Character FirstCharacter(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return {1, lead};
  // The lead byte has a one for each byte of the sequence, then a zero.
  const auto length = static_cast<std::size_t>(std::countl_one(lead));
  if (length < 2 || length > 4 || text.size() < length) return {0, lead};
  char32_t code_point = lead & (0x7Fu >> length);
  for (const char c : text.substr(1, length - 1)) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0u) != 0x80) return {0, lead};
    code_point = code_point << 6 | (byte & 0x3Fu);
  }
  // Overlong forms, surrogates and what is beyond Unicode.
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code_point < kLeast[length] || code_point > 0x10FFFF ||
      (code_point >= 0xD800 && code_point <= 0xDFFF)) {
    return {0, lead};
  }
  return {length, code_point};
}

std::size_t FindInvalidUtf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = FirstCharacter(text.substr(at)).length;
    if (length == 0) return at;
    at += length;
  }
  return std::string_view::npos;
}

std::optional<ControlCharacter> FindControlCharacter(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto [length, code_point] = FirstCharacter(text.substr(at));
    if (length == 0) break;
    if (IsControlOrBidi(code_point)) return ControlCharacter{at, code_point};
    at += length;
  }
  return std::nullopt;
}

std::string CodePointText(char32_t code_point) {
  char text[16];
  const int size = std::snprintf(text, sizeof text, "U+%04X",
                                 static_cast<unsigned>(code_point));
  return {text, static_cast<std::size_t>(size)};
}

std::string EscapedAsInJson(std::string_view text) {
  return Escaped(text, std::string::npos, /*in_json=*/true);
}

std::string Printable(std::string_view text, std::size_t max_bytes) {
  return Escaped(text, max_bytes, /*in_json=*/false);
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
  return Cat(text, " and ", names.size() - listed, " more");
}

std::string NumberText(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::string RoundedText(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value,
                              std::chars_format::general, 6)
                    .ptr};
}

std::string ParseNumbers(std::string_view text, std::span<double> values) {
  std::size_t count = 0;
  for (std::size_t begin = 0, end = 0;; begin = end, ++count) {
    begin = text.find_first_not_of(kSpace, begin);
    if (begin == std::string_view::npos) break;
    end = std::min(text.find_first_of(kSpace, begin), text.size());
    // Those left over are looked at too: it may be a unit that is one too many.
    double left_over = 0;
    double& value = count < values.size() ? values[count] : left_over;
    std::string problem = ParseWord(text.substr(begin, end - begin), value);
    if (!problem.empty()) return problem;
  }
  if (count == values.size()) return {};
  return Cat(Quoted(text), " has ", count == 0 ? "no" : std::to_string(count),
             count == 1 ? " number" : " numbers", " where ", values.size(),
             values.size() == 1 ? " is needed" : " are needed");
}

}  // namespace torqued

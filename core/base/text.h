// UTF-8 text and the pieces of messages for people.
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace torqued {

/// The first character of a text that is not empty.
struct Character {
  std::size_t length = 0;   // in bytes; 0: not well-formed UTF-8
  char32_t code_point = 0;  // or, if not well-formed, the first byte
};
Character FirstCharacter(std::string_view text);

/// Offset of the first byte that is not well-formed UTF-8 (RFC 3629), or npos.
std::size_t FindInvalidUtf8(std::string_view text);

/// A character that terminals act on: a control character (U+0000 to 001F, 007F
/// to 009F), a bidirectional control (U+202A to 202E, 2066 to 2069), U+2028 or
/// U+2029.
struct ControlCharacter {
  std::size_t offset = 0;  // of its first byte
  char32_t code_point = 0;
};

/// The first one before any byte that is not well-formed UTF-8.
std::optional<ControlCharacter> FindControlCharacter(std::string_view text);

/// "U+202E": at least four digits.
std::string CodePointText(char32_t code_point);

/// Well-formed UTF-8 with ControlCharacters and the marks of direction (U+061C,
/// 200E and 200F, which names may have) written as in JSON strings: \u202e.
std::string EscapedAsInJson(std::string_view text);

/// `text` with ASCII control characters and bytes that are not UTF-8 written as
/// \xNN, the other characters as EscapedAsInJson writes them. Cut after about
/// `max_bytes`, with "..." for the rest.
std::string Printable(std::string_view text, std::size_t max_bytes);

/// A name or value from the source, in single quotes, printable and short.
std::string Quoted(std::string_view text);

/// "'a', 'b' and 3 more": at most eight of the names.
std::string QuotedList(std::span<const std::string_view> names);

/// The shortest text that reads back as the same number.
std::string NumberText(double value);

/// Six significant digits, for numbers that the source does not state.
std::string RoundedText(double value);

/// Reads exactly values.size() finite decimal numbers, separated by white
/// space. A number may have a leading '+'; one that is too small for double
/// precision is 0. Returns "", or the problem: "'x' is not a number".
std::string ParseNumbers(std::string_view text, std::span<double> values);

/// One string from many pieces: texts, whole numbers, and functions that give
/// one of these.
std::string Cat(const auto&... pieces) {
  std::string out;
  const auto add = [&out](const auto& piece) {
    if constexpr (std::invocable<decltype(piece)>) {
      out.append(Cat(piece()));
    } else if constexpr (std::convertible_to<decltype(piece),
                                             std::string_view>) {
      out.append(std::string_view(piece));
    } else {
      static_assert(std::integral<std::remove_cvref_t<decltype(piece)>>);
      out.append(std::to_string(piece));
    }
  };
  (add(pieces), ...);
  return out;
}

}  // namespace torqued

// Pieces of the sentences in findings.
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>

namespace torqued {

/// Offset of the first byte that does not belong to well-formed UTF-8 (RFC
/// 3629), or npos.
std::size_t FindInvalidUtf8(std::string_view text);

/// `text` with control characters and bytes that are not UTF-8 written as
/// \xNN, cut after about `max_bytes` with "..." put for the rest.
std::string Printable(std::string_view text, std::size_t max_bytes);

/// A name or value from the source, in single quotes, printable and short.
std::string Quoted(std::string_view text);

/// The shortest text that reads back as the same number.
std::string NumberText(double value);

/// Six significant digits, for numbers that the source does not state.
std::string RoundedText(double value);

/// One string from many pieces.
std::string Cat(const std::convertible_to<std::string_view> auto&... pieces) {
  std::string out;
  (out.append(std::string_view(pieces)), ...);
  return out;
}

}  // namespace torqued

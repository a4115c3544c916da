// Numbers as text, the same in every locale.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace torqued::cli {

/// Without blanks, tabs and carriage returns at the ends.
std::string_view Trim(std::string_view text);

/// A decimal number, "inf" or "nan", in either sign, with blanks around it;
/// nothing when the text is anything else, or out of range.
std::optional<double> ParseNumber(std::string_view text);

/// True for a decimal number that is too large or too small for a double.
bool IsOutOfRange(std::string_view text);

/// What is wrong with a text that ParseNumber refuses: "is not a number", or
/// that it is out of range.
std::string NumberProblem(std::string_view text);

/// The shortest decimal that reads back to the same double.
std::string ShortestText(double number);

/// For people: 6 significant digits.
std::string ReadableText(double number);

/// The side of a positive number on which its text may lie.
enum class Side : std::uint8_t { kBelow, kAbove };

/// For people: 6 significant digits, not more than the number (kBelow) or not
/// less (kAbove). What meets a limit still meets it with the number of the
/// text.
std::string ReadableText(double number, Side side);

}  // namespace torqued::cli

#include "client/cli/formats/number_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>
#include <system_error>

namespace torqued::cli {
namespace {

// Of the whole text.
std::errc Convert(std::string_view text, double* number) {
  text = Trim(text);
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const char* begin = text.data();
  const char* end = begin + text.size();
  const auto [stop, error] = std::from_chars(begin, end, *number);
  if (stop != end) return std::errc::invalid_argument;
  if (error != std::errc::result_out_of_range) return error;
  // What is too small for a double is rounded to zero, or to the smallest.
  const double rounded = std::strtod(std::string(text).c_str(), nullptr);
  if (!std::isfinite(rounded)) return error;
  *number = rounded;
  return {};
}

}  // namespace

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

std::optional<double> ParseNumber(std::string_view text) {
  double number = 0;
  if (Convert(text, &number) != std::errc()) return std::nullopt;
  return number;
}

bool IsOutOfRange(std::string_view text) {
  double unused = 0;
  return Convert(text, &unused) == std::errc::result_out_of_range;
}

std::string NumberProblem(std::string_view text) {
  return IsOutOfRange(text) ? "is out of the range of double precision"
                            : "is not a number";
}

std::string ShortestText(double number) {
  std::array<char, 32> buffer;
  const auto result =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  return {buffer.data(), result.ptr};
}

std::string ReadableText(double number) {
  if (std::isnan(number)) return "nan";
  std::array<char, 32> buffer;
  const auto result =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), number,
                    std::chars_format::general, 6);
  return {buffer.data(), result.ptr};
}

std::string ReadableText(double number, Side side) {
  if (!(number > 0) || std::isinf(number)) return ReadableText(number);
  const double unit = std::pow(10, std::floor(std::log10(number)) - 5);
  const double digits = number / unit;
  const double nearest = std::round(digits);
  // Within rounding it is a round number.
  if (std::abs(digits - nearest) < 1e-9) return ReadableText(nearest * unit);
  return ReadableText(
      (side == Side::kAbove ? std::ceil(digits) : std::floor(digits)) * unit);
}

}  // namespace torqued::cli

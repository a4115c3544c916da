#include "server/flags/numbers.h"

#include <array>
#include <charconv>
#include <system_error>

namespace torqued::flags {
namespace {

/// Without an exponent.
std::string FixedText(double number) {
  // As long as the largest double.
  std::array<char, 512> text;
  const auto [end, error] = std::to_chars(
      text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  return {text.data(), end};
}

}  // namespace

std::string WholeNumberProblem(std::string_view text, std::int64_t min,
                               std::int64_t max) {
  std::int64_t value = 0;
  const char* begin = text.data();
  const char* end = begin + text.size();
  const auto [stop, error] = std::from_chars(begin, end, value);
  const bool plain = !text.empty() && text.find_first_not_of("0123456789") ==
                                          std::string_view::npos;
  const bool octal = text.size() > 1 && text.front() == '0';
  if (!plain || octal || error != std::errc{} || stop != end || value < min ||
      value > max) {
    return "needs a whole number from " + std::to_string(min) + " to " +
           std::to_string(max) + ", not '" + std::string(text) + "'";
  }
  return {};
}

std::string NumberProblem(std::string_view text, double min, double max) {
  double value = 0;
  const char* begin = text.data();
  const char* end = begin + text.size();
  const auto [stop, error] = std::from_chars(begin, end, value);
  // False for what is no number.
  const bool in_range = value >= min && value <= max;
  if (error != std::errc{} || stop != end || !in_range) {
    return "needs a number from " + FixedText(min) + " to " + FixedText(max) +
           ", not '" + std::string(text) + "'";
  }
  return {};
}

CLI::Option* WholeNumber(CLI::Option* option, std::int64_t min,
                         std::int64_t max) {
  return option->type_name("N")->check(CLI::Validator(
      [min, max](const std::string& text) {
        return WholeNumberProblem(text, min, max);
      },
      ""));
}

CLI::Option* Number(CLI::Option* option, double min, double max) {
  return option->type_name("NUMBER")->check(CLI::Validator(
      [min, max](const std::string& text) {
        return NumberProblem(text, min, max);
      },
      ""));
}

}  // namespace torqued::flags

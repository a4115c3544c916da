#include "core/base/number.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <system_error>

#include "core/base/text.h"

namespace torqued {
namespace {

constexpr std::string_view kSpace = " \t\n\r";

// The next word, taken off the front of `text`; empty at the end.
std::string_view TakeWord(std::string_view& text) {
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) {
    text = {};
    return {};
  }
  text.remove_prefix(begin);
  const std::string_view word = text.substr(0, text.find_first_of(kSpace));
  text.remove_prefix(word.size());
  return word;
}

// Of a number that double precision cannot hold: whether it is too small rather
// than too large, by the power of ten of its first digit that is not 0.
bool IsTiny(std::string_view word) {
  const std::size_t e = word.find_first_of("eE");
  const std::string_view digits = word.substr(0, e);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::size_t first = digits.find_first_of("123456789");
  if (first == std::string_view::npos) return true;
  auto power =
      static_cast<std::ptrdiff_t>(point) - static_cast<std::ptrdiff_t>(first);
  if (e == std::string_view::npos) return power < 0;
  std::string_view exponent = word.substr(e + 1);
  const bool negative = exponent.starts_with('-');
  if (negative || exponent.starts_with('+')) exponent.remove_prefix(1);
  std::ptrdiff_t value = 0;
  const auto [end, error] = std::from_chars(
      exponent.data(), exponent.data() + exponent.size(), value);
  // Beyond what any text has digits for.
  constexpr std::ptrdiff_t kBeyond = PTRDIFF_MAX / 2;
  if (error != std::errc() || value > kBeyond) return negative;
  power += negative ? -value : value;
  return power < 0;
}

std::string ParseWord(std::string_view word, double& value) {
  const std::string_view as_given = word;
  if (word.starts_with('+')) {
    word.remove_prefix(1);
    if (word.starts_with('-')) word = {};
  }
  const auto [end, error] =
      std::from_chars(word.data(), word.data() + word.size(), value);
  if (error == std::errc::invalid_argument ||
      end != word.data() + word.size()) {
    return word.find("${") != std::string_view::npos
               ? Cat(Quoted(as_given),
                     " is a xacro expression; expand the file by xacro first")
               : Cat(Quoted(as_given),
                     " is not a number; write one like -1.5e-3, without a "
                     "unit, since all are SI");
  }
  if (error == std::errc::result_out_of_range) {
    if (IsTiny(word)) {
      value = word.starts_with('-') ? -0.0 : 0.0;
      return {};
    }
    return Cat(Quoted(as_given), " is outside the range of double precision");
  }
  if (!std::isfinite(value)) {
    return Cat(Quoted(as_given), " is not finite");
  }
  return {};
}

}  // namespace

std::string ParseNumber(std::string_view text, double& value) {
  return ParseNumbers(text, {&value, 1});
}

std::string ParseNumbers(std::string_view text, std::span<double> values) {
  std::size_t count = 0;
  for (std::string_view rest = text;;) {
    const std::string_view word = TakeWord(rest);
    if (word.empty()) break;
    // Those left over are looked at too: it may be a unit that is one too many.
    double left_over = 0;
    double& value = count < values.size() ? values[count] : left_over;
    if (std::string problem = ParseWord(word, value); !problem.empty()) {
      return problem;
    }
    ++count;
  }
  if (count == values.size()) return {};
  return Cat(Quoted(text), " has ", count == 0 ? "no" : std::to_string(count),
             count == 1 ? " number" : " numbers", " where ",
             std::to_string(values.size()),
             values.size() == 1 ? " is needed" : " are needed");
}

}  // namespace torqued

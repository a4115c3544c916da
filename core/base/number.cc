#include "core/base/number.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <locale>
#include <sstream>
#include <system_error>

#include "core/base/text.h"

namespace torqued {
namespace {

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
             count == 1 ? " number" : " numbers", " where ",
             std::to_string(values.size()),
             values.size() == 1 ? " is needed" : " are needed");
}

}  // namespace torqued

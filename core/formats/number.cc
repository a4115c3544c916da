#include "core/formats/number.h"

#include <charconv>
#include <cmath>
#include <cstddef>
#include <system_error>

#include "core/model/text.h"

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
                     " is not a number; write one like -1.5e-3");
  }
  if (error == std::errc::result_out_of_range) {
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
    if (count < values.size()) {
      if (std::string problem = ParseWord(word, values[count]);
          !problem.empty()) {
        return problem;
      }
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

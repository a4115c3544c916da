#include "client/cli/formats/number_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <system_error>

#include "client/cli/formats/container.h"
#include "client/cli/formats/file_text.h"

namespace torqued::cli {
namespace {

std::string Fixed(double number, int decimals) {
  std::array<char, 400> text;
  return {text.data(), std::to_chars(text.begin(), text.end(), number,
                                     std::chars_format::fixed, decimals)
                           .ptr};
}

/// "3 min 05 s".
std::string Parts(long count, const char* unit, const char* small_unit) {
  return std::to_string(count / 60) + unit +
         std::to_string(100 + count % 60).substr(1) + small_unit;
}

}  // namespace

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

std::optional<double> ParseNumber(std::string_view text) {
  text = Trim(text);
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double number = 0;
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const auto [stop, error] = std::from_chars(begin, end, number);
  if (stop != end || error == std::errc::invalid_argument) return std::nullopt;
  // std::from_chars leaves the number as it is, std::strtod rounds.
  if (error != std::errc()) {
    number = std::strtod(std::string(text).c_str(), nullptr);
  }
  return number;
}

std::string ReadableText(double number) {
  return std::isnan(number) ? "nan" : RoundedText(number);
}

std::string ReadableText(double number, Side side) {
  if (!(number > 0) || std::isinf(number)) return ReadableText(number);
  const double unit = std::pow(10, std::floor(std::log10(number)) - 5);
  const double digits = number / unit;
  double rounded = std::round(digits);
  if (std::abs(digits - rounded) >= 1e-9) {
    rounded = side == Side::kAbove ? std::ceil(digits) : std::floor(digits);
  }
  return ReadableText(rounded * unit);
}

std::string DurationText(double seconds) {
  if (seconds < 0.0995) return Fixed(seconds * 1e3, 0) + " ms";
  if (seconds < 9.95) return Fixed(seconds, 1) + " s";
  const long whole = std::lround(seconds);
  if (whole < 60) return std::to_string(whole) + " s";
  return whole < 3600 ? Parts(whole, " min ", " s")
                      : Parts(std::lround(seconds / 60), " h ", " min");
}

std::string CountText(double count) {
  const char* unit = "";
  for (const char* const larger : {" k", " M", " G"}) {
    if (count < 999.5) break;
    count /= 1e3;
    unit = larger;
  }
  const bool is_whole = *unit == '\0' || count >= 99.95;
  return Fixed(count, is_whole ? 0 : count < 9.995 ? 2 : 1) + unit;
}

std::vector<std::string> SplitList(std::string_view text, char separator) {
  std::vector<std::string> pieces;
  if (Trim(text).empty()) return pieces;
  while (true) {
    const std::size_t end = text.find(separator);
    pieces.emplace_back(Trim(text.substr(0, end)));
    if (end == std::string_view::npos) return pieces;
    text.remove_prefix(end + 1);
  }
}

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : ", ") + word;
  }
  return text;
}

std::vector<double> ParseNumbers(const std::string& option,
                                 std::string_view text) {
  std::vector<double> numbers;
  for (const std::string& piece : SplitList(text, ',')) {
    const auto number = ParseNumber(piece);
    if (!number) {
      throw UsageError(option,
                       "'" + Printable(piece, 40) + "' is not a number");
    }
    numbers.push_back(*number);
  }
  return numbers;
}

client::Batch ParseBatch(const std::string& option,
                         const std::vector<std::string>& texts) {
  if (texts.size() == 1 && texts.front().starts_with('@')) {
    const std::string path = texts.front().substr(1);
    CsvTable table = ParseTable(ReadFile(path), path);
    if (!table.header.empty()) {
      throw DataError(path, "the file has column names; give it as --states");
    }
    return std::move(table.numbers);
  }
  client::Batch batch;
  for (const std::string& text : texts) {
    for (const std::string& piece : SplitList(text, ';')) {
      const std::vector<double> row = ParseNumbers(option, piece);
      const auto columns = static_cast<Eigen::Index>(row.size());
      if (row.empty()) throw UsageError(option, "a row is empty");
      if (batch.rows() > 0 && columns != batch.cols()) {
        throw UsageError(option, Cat("row ", batch.rows(), " has ", columns,
                                     " numbers, row 0 has ", batch.cols()));
      }
      batch.conservativeResize(batch.rows() + 1, columns);
      batch.bottomRows<1>() =
          Eigen::Map<const Eigen::RowVectorXd>(row.data(), columns);
    }
  }
  return batch;
}

}  // namespace torqued::cli

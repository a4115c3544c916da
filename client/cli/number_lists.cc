#include "client/cli/number_lists.h"

#include "client/cli/errors.h"
#include "client/cli/formats/container.h"
#include "client/cli/formats/file_text.h"
#include "client/cli/formats/number_text.h"
#include "client/cli/terminal/plain_text.h"

namespace torqued::cli {

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
    const std::optional<double> number = ParseNumber(piece);
    if (!number) {
      throw UsageError(
          option, "'" + PlainText(piece, 40) + "' " + NumberProblem(piece));
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
  std::vector<double> numbers;
  std::size_t rows = 0, columns = 0;
  for (const std::string& text : texts) {
    for (const std::string& row : SplitList(text, ';')) {
      const std::vector<double> parsed = ParseNumbers(option, row);
      if (parsed.empty()) throw UsageError(option, "a row is empty");
      if (rows == 0) columns = parsed.size();
      if (parsed.size() != columns) {
        throw UsageError(option, "row " + std::to_string(rows) + " has " +
                                     std::to_string(parsed.size()) +
                                     " numbers, row 0 has " +
                                     std::to_string(columns));
      }
      numbers.insert(numbers.end(), parsed.begin(), parsed.end());
      ++rows;
    }
  }
  return Eigen::Map<const client::Batch>(numbers.data(),
                                         static_cast<Eigen::Index>(rows),
                                         static_cast<Eigen::Index>(columns));
}

}  // namespace torqued::cli

#include "client/cli/number_lists.h"

#include "client/cli/errors.h"
#include "client/cli/formats/container.h"
#include "client/cli/formats/file_text.h"
#include "client/cli/formats/number_text.h"
#include "core/base/text.h"

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

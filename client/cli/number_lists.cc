#include "client/cli/number_lists.h"

#include "client/cli/errors.h"
#include "client/cli/formats/csv_reader.h"
#include "client/cli/formats/file_text.h"
#include "client/cli/formats/npy_header.h"
#include "client/cli/formats/npy_reader.h"
#include "client/cli/formats/number_text.h"
#include "client/cli/terminal/plain_text.h"

namespace torqued::cli {
namespace {

client::Batch ReadBatch(const std::string& path) {
  const std::string content = ReadFile(path);
  if (LooksLikeNpy(content)) return ParseNpy(content, path);
  CsvTable table = ParseCsv(content, path);
  if (!table.header.empty()) {
    throw DataError(path, "has column names; give it as --states");
  }
  return std::move(table.numbers);
}

}  // namespace

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
    return ReadBatch(texts.front().substr(1));
  }
  std::vector<std::vector<double>> rows;
  for (const std::string& text : texts) {
    for (const std::string& row : SplitList(text, ';')) {
      rows.push_back(ParseNumbers(option, row));
      if (rows.back().empty()) throw UsageError(option, "has an empty row");
      if (rows.back().size() != rows.front().size()) {
        throw UsageError(option, "row " + std::to_string(rows.size() - 1) +
                                     " has " +
                                     std::to_string(rows.back().size()) +
                                     " numbers, row 0 has " +
                                     std::to_string(rows.front().size()));
      }
    }
  }
  if (rows.empty()) return {};
  client::Batch batch(static_cast<Eigen::Index>(rows.size()),
                      static_cast<Eigen::Index>(rows.front().size()));
  for (Eigen::Index row = 0; row < batch.rows(); ++row) {
    batch.row(row) = Eigen::Map<const Eigen::RowVectorXd>(
        rows[static_cast<std::size_t>(row)].data(), batch.cols());
  }
  return batch;
}

}  // namespace torqued::cli

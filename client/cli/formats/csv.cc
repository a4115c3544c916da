#include "client/cli/formats/csv.h"

#include <algorithm>
#include <charconv>
#include <span>

#include "client/cli/errors.h"
#include "client/cli/formats/number_text.h"
#include "core/base/text.h"

namespace torqued::cli {
namespace {

std::vector<std::string_view> CellsOf(std::string_view line) {
  std::vector<std::string_view> cells;
  while (true) {
    const std::size_t comma = line.find(',');
    cells.push_back(Trim(line.substr(0, comma)));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

/// Puts a row into `numbers` that stands there as programs write it; or less
/// than a row, if it does not.
bool TakeNumbers(std::string_view line, std::span<double> numbers) {
  const char* at = line.data();
  const char* const end = at + line.size();
  for (double& number : numbers) {
    while (at != end && *at == ' ') ++at;
    const auto [stop, error] = std::from_chars(at, end, number);
    const bool is_last = &number == &numbers.back();
    if (error != std::errc() || (stop == end) != is_last ||
        (!is_last && *stop != ',')) {
      return false;
    }
    at = stop + 1;
  }
  return true;
}

/// Puts any other row into `numbers`, or says what is wrong with it.
void TakeCells(std::string_view line, const std::vector<std::string>& header,
               const std::string& place, std::span<double> numbers) {
  const auto fail = [&](const std::string& problem) {
    // Of what spreadsheets write.
    const bool has_others = line.find_first_of(";\t") != std::string_view::npos;
    throw DataError(
        place, Cat(problem, has_others ? "; columns are separated by commas, "
                                         "numbers have a point"
                                       : ""));
  };
  const std::vector<std::string_view> cells = CellsOf(line);
  if (cells.size() != numbers.size()) {
    fail(Cat("has ", cells.size(), " cells, the lines before have ",
             numbers.size()));
  }
  for (std::size_t k = 0; k < cells.size(); ++k) {
    const auto number = ParseNumber(cells[k]);
    if (!number) {
      fail(Cat("column ", k + 1,
               header.empty() ? "" : " (" + Printable(header[k], 40) + ")",
               ": '", Printable(cells[k], 40), "' is not a number"));
    }
    numbers[k] = *number;
  }
}

}  // namespace

CsvTable ParseCsv(std::string_view text, const std::string& name) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(3);
  CsvTable table;
  client::Batch& numbers = table.numbers;
  const auto rows = [&] {
    return static_cast<Eigen::Index>(table.lines.size());
  };
  std::size_t columns = 0;  // 0 until the first line
  for (std::int64_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view line = Trim(text.substr(0, end));
    text.remove_prefix(std::min(end, text.size() - 1) + 1);
    if (line.empty() || line.starts_with('#')) continue;
    if (columns == 0) {
      const std::vector<std::string_view> cells = CellsOf(line);
      columns = cells.size();
      // As many rows as there may be: a number and what ends it have two bytes.
      numbers.resize(static_cast<Eigen::Index>(
                         1 + (line.size() + 1 + text.size()) / (2 * columns)),
                     static_cast<Eigen::Index>(columns));
      if (!std::all_of(cells.begin(), cells.end(), ParseNumber)) {
        for (std::string_view cell : cells) {
          if (cell.size() > 1 && cell.front() == '"' && cell.back() == '"') {
            cell = cell.substr(1, cell.size() - 2);
          }
          table.header.emplace_back(cell);
        }
        continue;
      }
    }
    const std::span row(numbers.row(rows()).data(), columns);
    if (!TakeNumbers(line, row)) {
      TakeCells(line, table.header, Cat(name, ":", number), row);
    }
    table.lines.push_back(number);
  }
  if (columns == 0) throw DataError(name, "is empty");
  numbers.conservativeResize(rows(), numbers.cols());
  return table;
}

CsvWriter::CsvWriter(const std::vector<std::string>& header) {
  for (const std::string& name : header) Text(name);
  EndRow();
}

void CsvWriter::Number(double number) { text_ += NumberText(number) + ','; }

void CsvWriter::Text(std::string_view text) {
  const bool quoted = text.find_first_of(",\"\r\n") != std::string_view::npos;
  if (quoted) text_ += '"';
  for (const char c : text) text_.append(quoted && c == '"' ? 2 : 1, c);
  text_ += quoted ? "\"," : ",";
}

}  // namespace torqued::cli

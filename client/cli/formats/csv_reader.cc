#include "client/cli/formats/csv_reader.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "client/cli/errors.h"
#include "client/cli/formats/number_text.h"
#include "client/cli/terminal/plain_text.h"

namespace torqued::cli {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
// Bytes of a cell or a name that a complaint shows.
constexpr std::size_t kShown = 40;

// Takes the text up to the separator, or all of it, from the front.
std::string_view TakeUntil(char separator, std::string_view* text) {
  const std::size_t end = text->find(separator);
  const std::string_view piece = text->substr(0, end);
  text->remove_prefix(end == std::string_view::npos ? text->size() : end + 1);
  return piece;
}

std::vector<std::string_view> Cells(std::string_view line) {
  std::vector<std::string_view> cells;
  while (true) {
    const std::size_t comma = line.find(',');
    cells.push_back(Trim(line.substr(0, comma)));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

std::string_view Unquoted(std::string_view cell) {
  if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"') {
    return cell.substr(1, cell.size() - 2);
  }
  return cell;
}

/// For what spreadsheets write.
std::string Advice(std::string_view line) {
  const bool other = line.find_first_of(";\t") != std::string_view::npos;
  return other ? "; columns are separated by commas, numbers have a point" : "";
}

// Collects rows; knows where it is for its complaints.
class Parser {
 public:
  Parser(const std::string& name, std::size_t bytes) : name_(name) {
    numbers_.reserve(bytes / 8);  // longer numbers leave pages untouched
  }

  void Line(std::string_view line, std::int64_t number) {
    if (columns_ > 0 && TakeNumbers(line)) {
      table_.lines.push_back(number);
      return;
    }
    const std::vector<std::string_view> cells = Cells(line);
    if (columns_ == 0) {
      columns_ = cells.size();
      const bool is_header =
          !std::all_of(cells.begin(), cells.end(), [](std::string_view cell) {
            return ParseNumber(cell).has_value() || IsOutOfRange(cell);
          });
      if (is_header) {
        for (const std::string_view cell : cells) {
          table_.header.emplace_back(Unquoted(cell));
        }
        return;
      }
    }
    if (cells.size() != columns_) {
      throw DataError(Place(number), "has " + std::to_string(cells.size()) +
                                         " cells, the lines before have " +
                                         std::to_string(columns_) +
                                         Advice(line));
    }
    for (std::size_t k = 0; k < cells.size(); ++k) {
      const std::optional<double> value = ParseNumber(cells[k]);
      if (!value) {
        throw DataError(Place(number),
                        "column " + std::to_string(k + 1) + Named(k) + ": '" +
                            PlainText(cells[k], kShown) + "' " +
                            NumberProblem(cells[k]) + Advice(line));
      }
      numbers_.push_back(*value);
    }
    table_.lines.push_back(number);
  }

  CsvTable Finish() && {
    if (columns_ == 0) throw DataError(name_, "is empty");
    table_.numbers = Eigen::Map<const client::Batch>(
        numbers_.data(), static_cast<Eigen::Index>(table_.lines.size()),
        static_cast<Eigen::Index>(columns_));
    return std::move(table_);
  }

 private:
  /// A row in the form that programs write. Other lines are left as they are.
  bool TakeNumbers(std::string_view line) {
    const std::size_t before = numbers_.size();
    const char* place = line.data();
    const char* const end = place + line.size();
    for (std::size_t left = columns_; left > 0; --left) {
      while (place != end && *place == ' ') ++place;
      double number = 0;
      const auto [stop, error] = std::from_chars(place, end, number);
      const bool ends = left == 1 ? stop == end : stop != end && *stop == ',';
      if (error != std::errc() || !ends) {
        numbers_.resize(before);
        return false;
      }
      numbers_.push_back(number);
      place = stop + 1;
    }
    return true;
  }

  std::string Place(std::int64_t line) const {
    return name_ + ":" + std::to_string(line);
  }
  std::string Named(std::size_t column) const {
    return table_.header.empty()
               ? ""
               : " (" + PlainText(table_.header[column], kShown) + ")";
  }

  const std::string& name_;
  std::size_t columns_ = 0;  // 0 until the first line
  std::vector<double> numbers_;
  CsvTable table_;
};

}  // namespace

CsvTable ParseCsv(std::string_view text, const std::string& name) {
  if (text.starts_with(kByteOrderMark)) {
    text.remove_prefix(kByteOrderMark.size());
  }
  Parser parser(name, text.size());
  for (std::int64_t number = 1; !text.empty(); ++number) {
    const std::string_view line = Trim(TakeUntil('\n', &text));
    if (line.empty() || line.starts_with('#')) continue;
    parser.Line(line, number);
  }
  return std::move(parser).Finish();
}

}  // namespace torqued::cli

#include "client/cli/terminal/table.h"

#include <algorithm>
#include <ostream>
#include <string_view>

#include "client/cli/terminal/plain_text.h"

namespace torqued::cli {
namespace {

std::size_t Width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) {
        // Continuation bytes of UTF-8 take no place of their own.
        return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
      }));
}

}  // namespace

Table::Table(std::vector<TableColumn> columns) : columns_(std::move(columns)) {
  std::vector<std::string>& titles = rows_.emplace_back();
  for (const TableColumn& column : columns_) titles.push_back(column.title);
}

void Table::Add(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  for (std::string& cell : cells) cell = PlainText(cell);
  rows_.push_back(std::move(cells));
}

void Table::Print(std::ostream& out) const {
  std::vector<std::size_t> widths(columns_.size());
  for (const auto& row : rows_) {
    for (std::size_t k = 0; k < row.size(); ++k) {
      widths[k] = std::max(widths[k], Width(row[k]));
    }
  }
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t k = 0; k < row.size(); ++k) {
      const std::string blanks(widths[k] - Width(row[k]), ' ');
      line += (k > 0 ? "  " : "");
      line += columns_[k].align == Align::kRight ? blanks + row[k]
                                                 : row[k] + blanks;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << '\n';
  }
}

}  // namespace torqued::cli

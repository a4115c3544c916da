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

void Table::Add(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  for (std::string& cell : cells) cell = PlainText(cell);
  rows_.push_back(std::move(cells));
}

void Table::Print(std::ostream& out) const {
  std::vector<std::size_t> widths;
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    std::size_t width = Width(columns_[k].title);
    for (const auto& row : rows_) width = std::max(width, Width(row[k]));
    widths.push_back(width);
  }

  const auto print = [&](const auto& cell_of) {
    std::string line;
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      if (k > 0) line += "  ";
      const std::string& cell = cell_of(k);
      const std::string blanks(widths[k] - Width(cell), ' ');
      line +=
          columns_[k].align == Align::kRight ? blanks + cell : cell + blanks;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << '\n';
  };
  print([this](std::size_t k) -> const std::string& {
    return columns_[k].title;
  });
  for (const auto& row : rows_) {
    print([&row](std::size_t k) -> const std::string& { return row[k]; });
  }
}

}  // namespace torqued::cli

// Aligned columns of text.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace torqued::cli {

enum class Align : std::uint8_t { kLeft, kRight };

struct TableColumn {
  std::string title;
  Align align = Align::kLeft;
};

/// Columns as wide as their widest cell, two blanks apart, no blanks at line
/// ends. Width counts code points of UTF-8.
class Table {
 public:
  explicit Table(std::vector<TableColumn> columns);

  /// Missing cells are empty. What could steer a terminal is escaped.
  void Add(std::vector<std::string> cells);
  bool empty() const { return rows_.size() == 1; }

  void Print(std::ostream& out) const;

 private:
  std::vector<TableColumn> columns_;
  std::vector<std::vector<std::string>> rows_;  // the titles first
};

}  // namespace torqued::cli

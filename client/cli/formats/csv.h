// Tables as comma-separated text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "client/cpp/states.h"

namespace torqued::cli {

struct CsvTable {
  /// Column names; empty when the first line already holds numbers.
  std::vector<std::string> header;
  client::Batch numbers;
  /// 1-based line of the file, per row; empty for an array.
  std::vector<std::int64_t> lines;
};

/// The first line is a header unless all of it is numbers. Lines end in LF or
/// CR LF; empty lines and lines that begin with # are skipped; blanks around
/// cells are dropped; names may stand in double quotes. All rows have the same
/// number of cells, and every cell is a number (inf and nan are). `name` stands
/// in the DataError thrown otherwise, with the line.
CsvTable ParseCsv(std::string_view text, const std::string& name);

/// Builds text row by row: cells, then EndRow.
class CsvWriter {
 public:
  explicit CsvWriter(const std::vector<std::string>& header);

  /// Shortest decimal that reads back to the same double.
  void Number(double number);
  /// In quotes where it needs them.
  void Text(std::string_view text);
  void EndRow() { text_.back() = '\n'; }

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace torqued::cli

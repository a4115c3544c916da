// Comma-separated text, numbers at full precision.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace torqued::cli {

/// Builds the text row by row: cells, then EndRow.
class CsvWriter {
 public:
  explicit CsvWriter(const std::vector<std::string>& header);

  /// Shortest decimal that reads back to the same double.
  void Number(double number);
  /// In quotes where it needs them.
  void Text(std::string_view text);
  void EndRow();

  const std::string& text() const { return text_; }

 private:
  void Separate();

  std::string text_;
  bool at_start_ = true;
};

}  // namespace torqued::cli

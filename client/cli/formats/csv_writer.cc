#include "client/cli/formats/csv_writer.h"

#include "client/cli/formats/number_text.h"

namespace torqued::cli {

CsvWriter::CsvWriter(const std::vector<std::string>& header) {
  for (const std::string& name : header) Text(name);
  EndRow();
}

void CsvWriter::Number(double number) {
  Separate();
  text_ += ShortestText(number);
}

void CsvWriter::Text(std::string_view text) {
  Separate();
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    text_ += text;
    return;
  }
  text_ += '"';
  for (const char c : text) {
    if (c == '"') text_ += '"';
    text_ += c;
  }
  text_ += '"';
}

void CsvWriter::EndRow() {
  text_ += '\n';
  at_start_ = true;
}

void CsvWriter::Separate() {
  if (!at_start_) text_ += ',';
  at_start_ = false;
}

}  // namespace torqued::cli

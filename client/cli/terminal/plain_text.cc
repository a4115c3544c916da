#include "client/cli/terminal/plain_text.h"

#include <algorithm>

namespace torqued::cli {

std::string PlainLines(std::string_view text) {
  const bool is_utf8 = FindInvalidUtf8(text) == std::string_view::npos;
  std::string plain;
  while (true) {
    const std::size_t end = text.find_first_of("\n\t");
    const std::string_view piece = text.substr(0, end);
    plain += is_utf8 ? EscapedAsInJson(piece) : PlainText(piece);
    if (end == std::string_view::npos) return plain;
    plain += text[end];
    text.remove_prefix(end + 1);
  }
}

int PlainBuffer::sync() {
  const std::string plain = PlainLines(view());
  str("");
  const auto size = static_cast<std::streamsize>(plain.size());
  return sink_->sputn(plain.data(), size) == size ? sink_->pubsync() : -1;
}

std::string EscapedXml(std::string_view text) {
  std::string escaped;
  for (const char c : PlainText(text)) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  // U+FFFE and U+FFFF, which XML does not have.
  for (const char* const other : {"\uFFFE", "\uFFFF"}) {
    for (std::size_t at; (at = escaped.find(other)) != std::string::npos;) {
      escaped.replace(at, 3, " ");
    }
  }
  return escaped;
}

std::string LinesXml(const std::string& text) {
  std::istringstream lines(text);
  std::string xml;
  for (std::string line; std::getline(lines, line);) {
    xml += EscapedXml(line) + "\n";
  }
  return xml;
}

}  // namespace torqued::cli

#include "client/cli/formats/xml_text.h"

#include <algorithm>
#include <sstream>

#include "core/base/text.h"

namespace torqued::cli {

std::string EscapedXml(std::string_view text) {
  std::string escaped;
  while (!text.empty()) {
    const auto [length, code] = FirstCharacter(text);
    const std::size_t size = std::max<std::size_t>(length, 1);
    if (length == 0) {
      escaped += "\uFFFD";
    } else if (code == '&') {
      escaped += "&amp;";
    } else if (code == '<') {
      escaped += "&lt;";
    } else if (code == '>') {
      escaped += "&gt;";
    } else if (code == '"') {
      escaped += "&quot;";
    } else if (code < 0x20 || code == 0xFFFE || code == 0xFFFF) {
      escaped += ' ';  // XML has none of them
    } else {
      escaped += EscapedAsInJson(text.substr(0, size));
    }
    text.remove_prefix(size);
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

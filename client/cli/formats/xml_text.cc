#include "client/cli/formats/xml_text.h"

#include <sstream>

#include "client/cli/formats/utf8.h"
#include "client/cli/terminal/plain_text.h"

namespace torqued::cli {

std::string EscapedXml(std::string_view text) {
  std::string escaped;
  for (const std::uint32_t code : CodePoints(text)) {
    switch (code) {
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
        // XML has no control characters, and not these two.
        if (code < 0x20 || code == 0xFFFE || code == 0xFFFF) {
          escaped += ' ';
        } else if (Steers(code)) {
          std::string character;
          AppendUtf8(code, &character);
          escaped += PlainText(character);
        } else {
          AppendUtf8(code, &escaped);
        }
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

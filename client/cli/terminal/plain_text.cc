#include "client/cli/terminal/plain_text.h"

#include <map>

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
  // U+FFFE and U+FFFF, which XML does not have, become blanks.
  static const std::map<std::string_view, const char*> kEscapes = {
      {"&", "&amp;"},   {"<", "&lt;"},   {">", "&gt;"},
      {"\"", "&quot;"}, {"\uFFFE", " "}, {"\uFFFF", " "}};
  const std::string plain = PlainLines(text);
  std::string escaped;
  for (std::string_view rest = plain; !rest.empty();) {
    const std::string_view first = rest.substr(0, FirstCharacter(rest).length);
    const auto escape = kEscapes.find(first);
    escaped += escape == kEscapes.end() ? first : escape->second;
    rest.remove_prefix(first.size());
  }
  return escaped;
}

}  // namespace torqued::cli

#include "client/cli/terminal/plain_text.h"

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

}  // namespace torqued::cli

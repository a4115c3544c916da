#include "client/cli/terminal/plain_text.h"

#include <algorithm>

namespace torqued::cli {
namespace {

// The rest of a character of several bytes in UTF-8.
bool Continues(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

bool IsControl(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7F;
}

}  // namespace

std::string PlainText(std::string_view text, std::size_t max_bytes) {
  const bool cut = text.size() > max_bytes;
  if (cut) {
    std::size_t end = max_bytes;
    while (end > 0 && Continues(text[end])) --end;
    text = text.substr(0, end);
  }
  std::string plain(text);
  std::replace_if(plain.begin(), plain.end(), IsControl, '?');
  return cut ? plain + "..." : plain;
}

}  // namespace torqued::cli

#include "client/cli/terminal/plain_text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

#include "client/cli/formats/utf8.h"

namespace torqued::cli {
namespace {

// The rest of a character of several bytes in UTF-8.
bool Continues(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

/// How many bytes the character that begins so has.
std::size_t SizeOf(char first) {
  const auto byte = static_cast<unsigned char>(first);
  if (byte < 0xC0) return 1;
  if (byte < 0xE0) return 2;
  return byte < 0xF0 ? 3 : 4;
}

/// "u" and four digits, or "x" and two.
void AppendEscaped(char kind, std::uint32_t number, std::string* text) {
  std::array<char, 16> digits;
  std::snprintf(digits.data(), digits.size(), "%04x",
                static_cast<unsigned int>(number));
  *text += '\\';
  *text += kind;
  *text += digits.data() + (kind == 'x' ? 2 : 0);
}

/// `kept`: what passes all the same. Of the result at most so many bytes, and
/// "..." where there are more.
std::string Escaped(std::string_view text, std::string_view kept,
                    std::size_t max_bytes = std::string_view::npos) {
  std::string plain, character;
  plain.reserve(std::min(text.size(), max_bytes));
  while (!text.empty()) {
    // Most of it.
    const auto letters = static_cast<std::size_t>(
        std::find_if_not(text.begin(), text.end(),
                         [](char c) { return c >= 0x20 && c < 0x7F; }) -
        text.begin());
    if (letters > max_bytes - plain.size()) {
      plain += text.substr(0, max_bytes - plain.size());
      return plain + "...";
    }
    plain += text.substr(0, letters);
    text.remove_prefix(letters);
    if (text.empty()) break;
    std::size_t size = SizeOf(text.front());
    character = text.substr(0, size);
    if (!IsUtf8(character)) {
      size = 1;
      character.clear();
      AppendEscaped('x', static_cast<unsigned char>(text.front()), &character);
    } else if (const std::uint32_t code = CodePoints(character).front();
               Steers(code) &&
               kept.find(text.front()) == std::string_view::npos) {
      character.clear();
      AppendEscaped('u', code, &character);
    }
    if (character.size() > max_bytes - plain.size()) return plain + "...";
    plain += character;
    text.remove_prefix(size);
  }
  return plain;
}

/// How many bytes at the end of the text begin a character that goes on.
std::size_t Unfinished(std::string_view text) {
  for (std::size_t back = 1; back <= 3 && back <= text.size(); ++back) {
    const char c = text[text.size() - back];
    if (Continues(c)) continue;
    return SizeOf(c) > back ? back : 0;
  }
  return 0;
}

}  // namespace

std::string PlainText(std::string_view text, std::size_t max_bytes) {
  return Escaped(text, "", max_bytes);
}

std::string PlainLines(std::string_view text) { return Escaped(text, "\n\t"); }

PlainBuffer::~PlainBuffer() {
  const std::string rest = PlainLines(pending_);
  sink_->sputn(rest.data(), static_cast<std::streamsize>(rest.size()));
}

std::streamsize PlainBuffer::xsputn(const char* text, std::streamsize size) {
  pending_.append(text, static_cast<std::size_t>(size));
  const std::size_t whole = pending_.size() - Unfinished(pending_);
  const std::string plain =
      PlainLines(std::string_view(pending_).substr(0, whole));
  pending_.erase(0, whole);
  const auto length = static_cast<std::streamsize>(plain.size());
  return sink_->sputn(plain.data(), length) == length ? size : 0;
}

int PlainBuffer::overflow(int c) {
  if (c == traits_type::eof()) return traits_type::not_eof(c);
  const char byte = traits_type::to_char_type(c);
  return xsputn(&byte, 1) == 1 ? c : traits_type::eof();
}

int PlainBuffer::sync() { return sink_->pubsync(); }

}  // namespace torqued::cli

// Text from files and servers, for a person's terminal.
#pragma once

#include <cstddef>
#include <streambuf>
#include <string>
#include <string_view>

namespace torqued::cli {

/// What could steer a terminal is escaped: control characters and those that
/// turn the direction of writing become "\u202e", bytes that are no UTF-8
/// "\x9b". What is beyond `max_bytes` of the result becomes "...". Letters
/// beyond ASCII stay; neither they nor escapes are cut apart.
std::string PlainText(std::string_view text,
                      std::size_t max_bytes = std::string_view::npos);

/// The same, but ends of lines and tabulators stay.
std::string PlainLines(std::string_view text);

/// Passes on what is written to it as PlainLines. In the strings of JSON it
/// changes no meaning: there the escapes are the same.
class PlainBuffer final : public std::streambuf {
 public:
  /// The sink must outlive this.
  explicit PlainBuffer(std::streambuf* sink) : sink_(sink) {}
  ~PlainBuffer() override;
  PlainBuffer(const PlainBuffer&) = delete;
  PlainBuffer& operator=(const PlainBuffer&) = delete;

 protected:
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int overflow(int c) override;
  int sync() override;

 private:
  std::streambuf* sink_;
  std::string pending_;  // the beginning of a character
};

}  // namespace torqued::cli

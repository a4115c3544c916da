// What a person's terminal shows: text from files and servers (also for XML),
// and progress.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <sstream>
#include <streambuf>
#include <string>
#include <string_view>

#include "core/base/text.h"

namespace torqued::cli {

/// What could steer a terminal is escaped: ASCII control characters and bytes
/// that are no UTF-8 become "\x1b", other control characters and those that
/// turn the direction of writing "\u202e". What is beyond about `max_bytes` of
/// the result becomes "...".
inline std::string PlainText(std::string_view text,
                             std::size_t max_bytes = std::string_view::npos) {
  return Printable(text, max_bytes);
}

/// The same, but ends of lines and tabulators stay, and in strings of JSON
/// nothing changes its meaning: UTF-8 has the escapes that JSON has.
std::string PlainLines(std::string_view text);

/// Passes on what is written to it as PlainLines, when it is flushed.
class PlainBuffer final : public std::stringbuf {
 public:
  /// The sink must outlive this.
  explicit PlainBuffer(std::streambuf* sink) : sink_(sink) {}
  ~PlainBuffer() override { PlainBuffer::sync(); }
  PlainBuffer(const PlainBuffer&) = delete;
  PlainBuffer& operator=(const PlainBuffer&) = delete;

 protected:
  int sync() override;

 private:
  std::streambuf* sink_;
};

/// PlainLines for elements and for attributes in double quotes, of XML and of
/// HTML.
std::string EscapedXml(std::string_view text);

/// How far something is, how fast, and how long it still takes at the average
/// speed so far; time is handed in.
class ProgressBar {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  /// One line that is rewritten (`is_bar`), or a line every few seconds. `unit`
  /// is what is counted: "states".
  ProgressBar(std::ostream& out, bool is_bar, std::string unit,
              std::int64_t total, TimePoint start);

  /// Draws at most ten times a second (a bar) or every two seconds. What is
  /// done never decreases.
  void Update(std::int64_t done, TimePoint now);
  /// Removes the bar.
  void Clear();

 private:
  std::ostream& out_;
  const bool is_bar_;
  const std::string unit_;
  const std::int64_t total_;
  const TimePoint start_;
  TimePoint drawn_;
  std::int64_t done_ = 0;
  bool visible_ = false;
};

}  // namespace torqued::cli

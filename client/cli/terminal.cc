#include "client/cli/terminal.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <ostream>
#include <utility>

#include "client/cli/formats/text.h"

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

ProgressBar::ProgressBar(std::ostream& out, bool is_bar, std::string unit,
                         std::int64_t total, TimePoint start)
    : out_(out),
      is_bar_(is_bar),
      unit_(std::move(unit)),
      total_(total),
      start_(start),
      drawn_(start) {}

void ProgressBar::Update(std::int64_t done, TimePoint now) {
  constexpr std::size_t kCells = 30;
  done_ = std::max(done_, std::min(done, total_));
  if (now - drawn_ < std::chrono::milliseconds(is_bar_ ? 100 : 2000)) return;
  drawn_ = now;
  const auto count = static_cast<double>(done_);
  const auto total = static_cast<double>(total_);
  const double fraction = total > 0 ? count / total : 1;
  const double speed =
      count / std::chrono::duration<double>(now - start_).count();
  const std::string percent = std::to_string(static_cast<int>(fraction * 100));
  std::string line =
      Cat(std::string(3 - percent.size(), ' '), percent, " %  ", done_, " of ",
          total_, " ", unit_, "  ", std::llround(speed), "/s");
  if (speed > 0) {
    line += "  " + DurationText((total - count) / speed) + " left";
  }
  if (!is_bar_) {
    out_ << line << std::endl;
    return;
  }
  std::string cells(kCells, '.');
  std::fill_n(cells.begin(), static_cast<int>(fraction * kCells), '#');
  // Return, line, erase what a longer line left.
  out_ << "\r[" << cells << "] " << line << "\x1b[K" << std::flush;
  visible_ = true;
}

void ProgressBar::Clear() {
  if (visible_) out_ << "\r\x1b[K" << std::flush;
  visible_ = false;
}

}  // namespace torqued::cli

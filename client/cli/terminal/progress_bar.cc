#include "client/cli/terminal/progress_bar.h"

#include <unistd.h>

#include <algorithm>
#include <ostream>
#include <utility>

#include "client/cli/formats/number_text.h"

namespace torqued::cli {
namespace {

constexpr std::size_t kBarCells = 30;
constexpr std::chrono::milliseconds kBarPeriod{100};
constexpr std::chrono::milliseconds kLinePeriod{2000};

}  // namespace

ProgressStyle ProgressStyleOfStderr(bool quiet) {
  if (quiet) return ProgressStyle::kNone;
  return isatty(STDERR_FILENO) == 1 ? ProgressStyle::kBar
                                    : ProgressStyle::kLines;
}

ProgressBar::ProgressBar(std::ostream& out, ProgressStyle style,
                         std::string unit, std::int64_t total, TimePoint start)
    : out_(out),
      style_(style),
      unit_(std::move(unit)),
      total_(total),
      start_(start),
      drawn_(start) {}

void ProgressBar::Update(std::int64_t done, TimePoint now) {
  done_ = std::max(done_, std::min(done, total_));
  if (style_ == ProgressStyle::kNone) return;
  const bool is_bar = style_ == ProgressStyle::kBar;
  if (now - drawn_ < (is_bar ? kBarPeriod : kLinePeriod)) return;
  drawn_ = now;
  const auto count = static_cast<double>(done_);
  const auto total = static_cast<double>(total_);
  const double fraction = total > 0 ? count / total : 1;
  const double speed =
      count / std::chrono::duration<double>(now - start_).count();
  const std::string percent = std::to_string(static_cast<int>(fraction * 100));
  std::string line = std::string(3 - percent.size(), ' ') + percent + " %  " +
                     CountText(count) + " of " + CountText(total) + " " +
                     unit_ + "  " + CountText(speed) + "/s";
  if (speed > 0) {
    line += "  " + DurationText((total - count) / speed) + " left";
  }
  if (!is_bar) {
    out_ << line << std::endl;
    return;
  }
  std::string cells(kBarCells, '.');
  std::fill_n(cells.begin(), static_cast<int>(fraction * kBarCells), '#');
  // Return, line, erase what a longer line left.
  out_ << "\r[" << cells << "] " << line << "\x1b[K" << std::flush;
  visible_ = true;
}

void ProgressBar::Clear() {
  if (visible_) out_ << "\r\x1b[K" << std::flush;
  visible_ = false;
}

}  // namespace torqued::cli

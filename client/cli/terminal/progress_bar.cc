#include "client/cli/terminal/progress_bar.h"

#include <unistd.h>

#include <cmath>
#include <ostream>
#include <utility>

namespace torqued::cli {
namespace {

constexpr int kBarCells = 30;
constexpr std::chrono::milliseconds kBarPeriod{100};
constexpr std::chrono::milliseconds kLinePeriod{2000};

std::string Bar(double fraction) {
  const int full = static_cast<int>(std::floor(fraction * kBarCells));
  std::string bar = "[";
  for (int k = 0; k < kBarCells; ++k) bar += k < full ? '#' : '.';
  return bar + "]";
}

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
      meter_(total, start),
      drawn_(start) {}

void ProgressBar::Update(std::int64_t done, TimePoint now) {
  meter_.Update(done, now);
  if (style_ == ProgressStyle::kNone) return;
  const bool is_bar = style_ == ProgressStyle::kBar;
  if (now - drawn_ < (is_bar ? kBarPeriod : kLinePeriod)) return;
  drawn_ = now;
  if (is_bar) {
    // Return, line, erase what a longer line left.
    out_ << '\r' << Bar(meter_.fraction()) << ' ' << Line() << "\x1b[K"
         << std::flush;
    visible_ = true;
  } else {
    out_ << Line() << std::endl;
  }
}

void ProgressBar::Clear() {
  if (visible_) out_ << "\r\x1b[K" << std::flush;
  visible_ = false;
}

std::string ProgressBar::Line() const {
  const int percent = static_cast<int>(std::floor(meter_.fraction() * 100));
  std::string line = (percent < 10    ? "  "
                      : percent < 100 ? " "
                                      : "") +
                     std::to_string(percent) + " %  " +
                     CountText(static_cast<double>(meter_.done())) + " of " +
                     CountText(static_cast<double>(meter_.total())) + " " +
                     unit_ + "  " + CountText(meter_.per_second()) + "/s";
  if (const auto left = meter_.seconds_left()) {
    line += "  " + DurationText(*left) + " left";
  }
  return line;
}

}  // namespace torqued::cli

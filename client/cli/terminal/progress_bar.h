// Progress on a terminal, or now and then a line elsewhere.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

#include "client/cli/terminal/progress_meter.h"

namespace torqued::cli {

enum class ProgressStyle : std::uint8_t {
  kNone,
  kBar,    // one line, rewritten
  kLines,  // a line every few seconds
};

/// kNone when `quiet`, kBar when stderr is a terminal, else kLines.
ProgressStyle ProgressStyleOfStderr(bool quiet);

class ProgressBar {
 public:
  using TimePoint = ProgressMeter::TimePoint;

  /// `unit` is what is counted: "states".
  ProgressBar(std::ostream& out, ProgressStyle style, std::string unit,
              std::int64_t total, TimePoint start);

  /// Draws at most ten times a second (kBar) or every two seconds (kLines).
  void Update(std::int64_t done, TimePoint now);
  /// Removes the bar.
  void Clear();

  const ProgressMeter& meter() const { return meter_; }

 private:
  std::string Line() const;

  std::ostream& out_;
  ProgressStyle style_;
  std::string unit_;
  ProgressMeter meter_;
  TimePoint drawn_;
  bool visible_ = false;
};

}  // namespace torqued::cli

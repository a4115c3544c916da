// Progress on a terminal, or now and then a line elsewhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <string>

namespace torqued::cli {

enum class ProgressStyle : std::uint8_t {
  kNone,
  kBar,    // one line, rewritten
  kLines,  // a line every few seconds
};

/// kNone when `quiet`, kBar when stderr is a terminal, else kLines.
ProgressStyle ProgressStyleOfStderr(bool quiet);

/// How far something is, how fast, and how long it still takes at the average
/// speed so far; time is handed in.
class ProgressBar {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  /// `unit` is what is counted: "states".
  ProgressBar(std::ostream& out, ProgressStyle style, std::string unit,
              std::int64_t total, TimePoint start);

  /// Draws at most ten times a second (kBar) or every two seconds (kLines).
  /// What is done never decreases.
  void Update(std::int64_t done, TimePoint now);
  /// Removes the bar.
  void Clear();

 private:
  std::ostream& out_;
  const ProgressStyle style_;
  const std::string unit_;
  const std::int64_t total_;
  const TimePoint start_;
  TimePoint drawn_;
  std::int64_t done_ = 0;
  bool visible_ = false;
};

}  // namespace torqued::cli

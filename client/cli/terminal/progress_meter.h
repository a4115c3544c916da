// How far, how fast, how long still.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace torqued::cli {

/// Arithmetic of a progress display; time is handed in.
class ProgressMeter {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  ProgressMeter(std::int64_t total, TimePoint start)
      : total_(total), start_(start), now_(start) {}

  /// `done` never decreases.
  void Update(std::int64_t done, TimePoint now);

  std::int64_t done() const { return done_; }
  std::int64_t total() const { return total_; }
  /// In [0, 1]; 1 for a total of 0.
  double fraction() const;
  double elapsed_seconds() const;
  /// Since the start; 0 while no time has passed.
  double per_second() const;
  /// At the average speed so far; nothing before anything is done.
  std::optional<double> seconds_left() const;

 private:
  std::int64_t total_;
  std::int64_t done_ = 0;
  TimePoint start_;
  TimePoint now_;
};

/// "19 ms", "0.8 s", "12 s", "3 min 05 s", "2 h 07 min".
std::string DurationText(double seconds);

/// "950", "12.3 k", "4.56 M": three significant digits.
std::string CountText(double count);

}  // namespace torqued::cli

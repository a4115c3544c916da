#include "client/cli/terminal/progress_meter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace torqued::cli {
namespace {

template <class... Numbers>
std::string Format(const char* format, Numbers... numbers) {
  std::array<char, 48> buffer;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  std::snprintf(buffer.data(), buffer.size(), format, numbers...);
#pragma GCC diagnostic pop
  return buffer.data();
}

}  // namespace

void ProgressMeter::Update(std::int64_t done, TimePoint now) {
  done_ = std::clamp(done, done_, std::max(total_, done_));
  now_ = std::max(now, now_);
}

double ProgressMeter::fraction() const {
  if (total_ <= 0) return 1;
  return static_cast<double>(done_) / static_cast<double>(total_);
}

double ProgressMeter::elapsed_seconds() const {
  return std::chrono::duration<double>(now_ - start_).count();
}

double ProgressMeter::per_second() const {
  const double elapsed = elapsed_seconds();
  return elapsed > 0 ? static_cast<double>(done_) / elapsed : 0;
}

std::optional<double> ProgressMeter::seconds_left() const {
  const double speed = per_second();
  if (speed <= 0) return std::nullopt;
  return static_cast<double>(total_ - done_) / speed;
}

std::string DurationText(double seconds) {
  if (seconds < 0.0995) return Format("%.0f ms", seconds * 1e3);
  if (seconds < 9.95) return Format("%.1f s", seconds);
  const long whole = std::lround(seconds);
  if (whole < 60) return Format("%ld s", whole);
  if (whole < 3600) return Format("%ld min %02ld s", whole / 60, whole % 60);
  const long minutes = std::lround(seconds / 60);
  return Format("%ld h %02ld min", minutes / 60, minutes % 60);
}

std::string CountText(double count) {
  if (count < 999.5) return Format("%.0f", count);
  const char* unit = " k";
  double scaled = count / 1e3;
  if (count >= 999.5e6) {
    unit = " G";
    scaled = count / 1e9;
  } else if (count >= 999.5e3) {
    unit = " M";
    scaled = count / 1e6;
  }
  const int decimals = scaled < 9.995 ? 2 : scaled < 99.95 ? 1 : 0;
  return Format("%.*f", decimals, scaled) + unit;
}

}  // namespace torqued::cli

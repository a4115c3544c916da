#include "client/cli/terminal/duration_text.h"

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
  for (const char* const unit : {" k", " M", " G"}) {
    count /= 1e3;
    if (count >= 999.5 && unit[1] != 'G') continue;
    const int decimals = count < 9.995 ? 2 : count < 99.95 ? 1 : 0;
    return Format("%.*f", decimals, count) + unit;
  }
  return {};
}

}  // namespace torqued::cli

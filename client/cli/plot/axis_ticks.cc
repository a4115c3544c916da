#include "client/cli/plot/axis_ticks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace torqued::cli {
namespace {

// The smallest of 1, 2, 5 x 10^k that is >= `step`.
double RoundStep(double step) {
  const double power = std::pow(10, std::floor(std::log10(step)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    // The margin keeps 0.2 from becoming 0.5 by rounding.
    if (factor * power >= step * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

std::string Label(double value, double step, int decimals) {
  std::array<char, 400> buffer;
  const double steps = std::max(std::abs(value) / step, 1.0);
  // As seconds since 1970: many steps from zero, which all have their digits.
  const bool far = steps >= 1e6 && std::abs(value) < 1e15;
  if (decimals > 6 || (std::abs(value) >= 1e6 && !far)) {
    // As many digits as tell the multiples of the step apart.
    const int digits = 2 + static_cast<int>(std::log10(steps) + 1e-9);
    std::snprintf(buffer.data(), buffer.size(), "%.*g", std::max(6, digits),
                  value);
  } else {
    std::snprintf(buffer.data(), buffer.size(), "%.*f", decimals, value);
  }
  std::string label = buffer.data();
  // The minus sign, as wide as the plus.
  if (label.starts_with('-')) label.replace(0, 1, "\u2212");
  return label;
}

}  // namespace

std::vector<Tick> AxisTicks(double low, double high, int max_count) {
  if (!std::isfinite(low) || !std::isfinite(high) || !(low < high) ||
      !std::isfinite(high - low)) {
    return {};
  }
  // The finest step that is not too fine. From 5 ticks on this leaves two at
  // least: more than max_count ticks of one step span two of the next.
  double step = RoundStep((high - low) / (std::max(max_count, 2) + 1));
  double first = std::ceil(low / step - 1e-9);
  double last = std::floor(high / step + 1e-9);
  while (last - first + 1 > max_count) {
    step = RoundStep(step * 1.5);
    first = std::ceil(low / step - 1e-9);
    last = std::floor(high / step + 1e-9);
  }
  // Further from zero neighbouring ticks may be one and the same double.
  constexpr double kMostSteps = 0x1p52;
  if (std::max(std::abs(first), std::abs(last)) > kMostSteps) return {};
  const int decimals =
      std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
  const int count = static_cast<int>(last - first) + 1;
  std::vector<Tick> ticks;
  for (int k = 0; k < count; ++k) {
    // + 0.0 turns -0 into 0.
    const double value = (first + k) * step + 0.0;
    ticks.push_back({value, Label(value, step, decimals)});
  }
  return ticks;
}

}  // namespace torqued::cli

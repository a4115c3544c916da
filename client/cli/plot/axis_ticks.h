// Round numbers along an axis.
#pragma once

#include <string>
#include <vector>

namespace torqued::cli {

struct Tick {
  double value = 0;
  std::string label;
};

/// Multiples of 1, 2 or 5 times a power of ten within [low, high], at most
/// `max_count` (>= 2) of them, labelled with the digits that they need and no
/// more. Empty unless low < high, both finite, and where double has no digits
/// for them.
std::vector<Tick> AxisTicks(double low, double high, int max_count);

}  // namespace torqued::cli

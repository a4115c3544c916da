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
/// more. Empty where `low` or `high` is not finite, where low >= high, and
/// where neighbouring doubles lie further apart than the ticks would.
std::vector<Tick> AxisTicks(double low, double high, int max_count);

}  // namespace torqued::cli

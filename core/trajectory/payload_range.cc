#include "core/trajectory/payload_range.h"

#include <algorithm>
#include <cmath>

namespace torqued {

void PayloadSearch::Add(const LoadedTorque& torque, double limit,
                        const SamplePlace& place) {
  if (std::isinf(limit)) return;
  if (torque.per_kg == 0) {
    if (std::abs(torque.without) > limit) possible_ = false;
    return;
  }
  const auto [low, high] =
      std::minmax({(limit - torque.without) / torque.per_kg,
                   (-limit - torque.without) / torque.per_kg});
  range_.least = std::max(range_.least, low);
  if (high < range_.most) {
    range_.most = high;
    range_.limited_by = place;
  }
}

std::optional<PayloadRange> PayloadSearch::Find() const {
  if (!possible_ || !(range_.least <= range_.most)) return std::nullopt;
  return range_;
}

}  // namespace torqued

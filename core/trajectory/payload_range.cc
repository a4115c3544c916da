#include "core/trajectory/payload_range.h"

#include <algorithm>
#include <cmath>

namespace torqued {

void PayloadSearch::Add(double without, double with, double limit,
                        const SamplePlace& place) {
  if (std::isinf(limit)) return;
  const double slope = with - without;
  if (slope == 0) {
    if (std::abs(without) > limit) possible_ = false;
    return;
  }
  const auto [low, high] =
      std::minmax({(limit - without) / slope, (-limit - without) / slope});
  shares_.least = std::max(shares_.least, low);
  if (high < shares_.most) {
    shares_.most = high;
    shares_.limited_by = place;
  }
}

std::optional<PayloadShares> PayloadSearch::Find() const {
  if (!possible_ || !(shares_.least <= shares_.most)) return std::nullopt;
  return shares_;
}

}  // namespace torqued

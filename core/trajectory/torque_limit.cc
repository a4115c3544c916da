#include "core/trajectory/torque_limit.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>

namespace torqued {
namespace {

double Between(const TorqueAtSpeed& a, const TorqueAtSpeed& b, double speed) {
  const double share = (speed - a.speed) / (b.speed - a.speed);
  return a.torque + share * (b.torque - a.torque);
}

}  // namespace

TorqueLimit::TorqueLimit(std::optional<double> effort,
                         const std::vector<TorqueAtSpeed>& curve,
                         double derating) {
  if (curve.empty()) {
    if (effort) points_.push_back({0, *effort * derating});
    return;
  }
  // The curve cut off at the effort, with a point where they cross.
  const double top = effort ? *effort : kNone;
  for (std::size_t k = 0; k < curve.size(); ++k) {
    const TorqueAtSpeed& point = curve[k];
    if (k > 0) {
      const TorqueAtSpeed& before = curve[k - 1];
      if ((before.torque > top) != (point.torque > top)) {
        const double share =
            (top - before.torque) / (point.torque - before.torque);
        const double speed =
            before.speed + share * (point.speed - before.speed);
        if (speed > points_.back().speed && speed < point.speed) {
          points_.push_back({speed, top});
        }
      }
    }
    points_.push_back({point.speed, std::min(point.torque, top)});
  }
  for (TorqueAtSpeed& point : points_) point.torque *= derating;
}

double TorqueLimit::At(double speed) const {
  if (points_.empty()) return kNone;
  const double magnitude = std::abs(speed);
  const auto above = std::upper_bound(
      points_.begin(), points_.end(), magnitude,
      [](double s, const TorqueAtSpeed& point) { return s < point.speed; });
  if (above == points_.begin()) return above->torque;
  if (above == points_.end()) return points_.back().torque;
  return Between(*std::prev(above), *above, magnitude);
}

std::optional<std::string> ProblemOf(const std::vector<TorqueAtSpeed>& curve) {
  for (std::size_t k = 0; k < curve.size(); ++k) {
    const TorqueAtSpeed& point = curve[k];
    if (!(point.speed >= 0 && std::isfinite(point.speed)) ||
        !(point.torque >= 0 && std::isfinite(point.torque))) {
      return "Speeds and torques must be finite and not negative.";
    }
    if (k > 0 && point.speed <= curve[k - 1].speed) {
      return "Speeds must increase.";
    }
  }
  return std::nullopt;
}

}  // namespace torqued

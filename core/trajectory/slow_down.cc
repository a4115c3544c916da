#include "core/trajectory/slow_down.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace torqued {
namespace {

/// Above 1, which is as fast as the trajectory itself.
constexpr double kBeyond = 2;

/// a + b u + c u².
struct Quadratic {
  double a = 0;
  double b = 0;
  double c = 0;

  double At(double u) const { return a + u * (b + u * c); }
};

/// Its roots in ascending order; 0, 1 or 2.
struct Roots {
  std::array<double, 2> at{};
  std::size_t count = 0;
};

Roots RootsOf(const Quadratic& f) {
  if (f.c == 0) {
    if (f.b == 0) return {};
    return {{-f.a / f.b, 0}, 1};
  }
  const double discriminant = f.b * f.b - 4 * f.a * f.c;
  if (!(discriminant >= 0)) return {};
  // Without cancellation.
  const double q = -(f.b + std::copysign(std::sqrt(discriminant), f.b)) / 2;
  if (q == 0) return {{0, 0}, 1};
  const auto [low, high] = std::minmax({q / f.c, f.a / q});
  return {{low, high}, 2};
}

/// Where f > 0 between `from` and `to`.
void Forbid(const Quadratic& f, double from, double to,
            const SamplePlace& place, ForbiddenIntervals& forbidden) {
  const Roots roots = RootsOf(f);
  double begin = from;
  for (std::size_t k = 0; k <= roots.count && begin < to; ++k) {
    const double end =
        k < roots.count ? std::clamp(roots.at[k], begin, to) : to;
    if (end > begin && f.At(begin + (end - begin) / 2) > 0) {
      // At full speed the end belongs to it, unless it is a root.
      const bool whole = end == 1 && f.At(1) > 0;
      forbidden.Add(begin, whole ? kBeyond : end, place);
    }
    begin = end;
  }
}

}  // namespace

void SlowDownSearch::AddTorque(const ScaledTorque& torque, double v,
                               const TorqueLimit& limit,
                               const SamplePlace& place) {
  if (!limit.present()) return;
  const double speed = std::abs(v);
  const auto& points = limit.points();
  double lowest = limit.At(0);
  for (const TorqueAtSpeed& point : points) {
    lowest = std::min(lowest, point.torque);
  }
  // Most samples are far from every limit.
  if (std::abs(torque.still) + std::abs(torque.viscous) +
          std::abs(torque.moving) <=
      lowest) {
    return;
  }
  double from = 0;
  for (std::size_t k = 0; k <= points.size() && from < 1; ++k) {
    const bool ends = k < points.size() && points[k].speed < speed;
    const double to = ends ? std::max(from, points[k].speed / speed) : 1;
    if (to > from) {
      // The straight piece of the limit over [from, to].
      const double at_from = limit.At(from * speed);
      const double slope = (limit.At(to * speed) - at_from) / (to - from);
      const double at_0 = at_from - slope * from;
      Forbid({torque.still - at_0, torque.viscous - slope, torque.moving}, from,
             to, place, forbidden_);
      Forbid({-torque.still - at_0, -torque.viscous - slope, -torque.moving},
             from, to, place, forbidden_);
    }
    from = to;
  }
}

void SlowDownSearch::AddVelocity(double v, double limit,
                                 const SamplePlace& place) {
  const double speed = std::abs(v);
  if (speed > limit) forbidden_.Add(limit / speed, kBeyond, place);
}

std::optional<SlowDown> SlowDownSearch::Find() {
  const ForbiddenIntervals::Interval* interval = forbidden_.Holding(1);
  if (interval == nullptr || interval->high <= 1) return SlowDown{};
  if (!(interval->low > 0)) return std::nullopt;
  return SlowDown{1 / interval->low, interval->place};
}

}  // namespace torqued

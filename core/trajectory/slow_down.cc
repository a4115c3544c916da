#include "core/trajectory/verdict.h"

namespace torqued {
namespace {

/// Above 1, which is as fast as the trajectory itself.
constexpr double kBeyond = 2;

/// a + b u + c u² + s tanh(k u), k >= 0: how far a torque is over a straight
/// piece of its limit.
struct Excess {
  double a = 0, b = 0, c = 0, s = 0, k = 0;

  double At(double u) const {
    const double polynomial = a + u * (b + u * c);
    return s == 0 ? polynomial : polynomial + s * std::tanh(k * u);
  }
  /// At least what it is anywhere between the two.
  double Most(double from, double to) const {
    const auto at = [&](double factor) { return factor > 0 ? to : from; };
    return a + b * at(b) + c * at(c) * at(c) + s * std::tanh(k * at(s));
  }
  double Slope(double u) const {
    const double t = std::tanh(k * u);
    return b + 2 * u * c + s * k * (1 - t * t);
  }
  double Curvature(double u) const {
    const double t = std::tanh(k * u);
    return 2 * (c - s * k * k * t * (1 - t * t));
  }
};

/// Ascending: both ends and as many roots as there can be.
using Points = std::vector<double>;

Points RootsOfQuadratic(const Excess& f) {
  if (f.c == 0) return f.b == 0 ? Points() : Points{-f.a / f.b};
  const double discriminant = f.b * f.b - 4 * f.a * f.c;
  if (!(discriminant >= 0)) return {};
  // Without cancellation.
  const double q = -(f.b + std::copysign(std::sqrt(discriminant), f.b)) / 2;
  if (q == 0) return {0};
  const auto [low, high] = std::minmax({q / f.c, f.a / q});
  return {low, high};
}

/// The first and the last of the points, and between them where a function
/// changes its sign, to the last digit. It is monotone from each to the next.
Points WithZeros(const Excess& f, double (Excess::*function)(double) const,
                 const Points& points) {
  const auto is_negative = [&](double u) { return (f.*function)(u) < 0; };
  Points zeros{points.front()};
  for (std::size_t k = 1; k < points.size(); ++k) {
    double low = points[k - 1], high = points[k];
    const bool rises = is_negative(low);
    if (is_negative(high) == rises) continue;
    double middle = low + (high - low) / 2;
    while (low < middle && middle < high) {
      (is_negative(middle) == rises ? low : high) = middle;
      middle = low + (high - low) / 2;
    }
    zeros.push_back(low);
  }
  zeros.push_back(points.back());
  return zeros;
}

/// Between the zeros of its derivative a function is monotone. The second
/// derivative's own rises or falls with T - T³, T = tanh(k u), which turns at
/// T² = 1/3: it has 2 zeros at most, the slope 3, the function 4.
Points RootsOf(const Excess& f, double from, double to) {
  if (f.s == 0 || f.k == 0) return RootsOfQuadratic(f);
  const double turn = std::atanh(std::sqrt(1.0 / 3)) / f.k;
  Points points{from};
  if (from < turn && turn < to) points.push_back(turn);
  points.push_back(to);
  points = WithZeros(f, &Excess::Curvature, points);
  points = WithZeros(f, &Excess::Slope, points);
  return WithZeros(f, &Excess::At, points);
}

struct Stretch {
  double begin, end;
  bool over_at_end;
};

/// Appends where f > 0 in [from, to], in ascending order.
void FindOver(const Excess& f, double from, double to,
              std::vector<Stretch>& found) {
  if (f.Most(from, to) <= 0) return;
  Points ends = RootsOf(f, from, to);
  ends.push_back(to);
  for (const double root : ends) {
    const double end = std::clamp(root, from, to);
    if (end > from && f.At(from + (end - from) / 2) > 0) {
      found.push_back({from, end, f.At(end) > 0});
    }
    from = end;
  }
}

/// Where the torque is over a straight piece of the limit in [from, to], or
/// under its negative.
std::vector<Stretch> WhereOver(const ScaledTorque& torque, double speed,
                               const TorqueLimit& limit, double from,
                               double to) {
  const auto& points = limit.points();
  // Most samples are far from every limit.
  const double largest =
      std::abs(torque.still) + std::abs(torque.smooth) +
      to * (std::abs(torque.viscous) + to * std::abs(torque.moving));
  const auto allows = [=](const auto& at) { return largest <= at.torque; };
  if (std::ranges::all_of(points, allows)) return {};
  std::vector<Stretch> found;
  const double smooth = std::copysign(torque.smooth, torque.sharpness);
  for (std::size_t k = 0; k <= points.size() && from < to; ++k) {
    const bool ends = k < points.size() && points[k].speed < speed * to;
    const double end = ends ? std::max(from, points[k].speed / speed) : to;
    if (end > from) {
      const double at_from = limit.At(from * speed);
      const double slope = (limit.At(end * speed) - at_from) / (end - from);
      const double at_0 = at_from - slope * from;
      for (const double sign : {1.0, -1.0}) {
        FindOver({.a = sign * torque.still - at_0,
                  .b = sign * torque.viscous - slope,
                  .c = sign * torque.moving,
                  .s = sign * smooth,
                  .k = std::abs(torque.sharpness)},
                 from, end, found);
      }
    }
    from = end;
  }
  return found;
}

}  // namespace

void SlowDownSearch::Forbid(double low, double high, SamplePlace place) {
  if (!(low < high)) return;
  // It becomes one with all that it meets.
  auto next = forbidden_.upper_bound(high);
  while (next != forbidden_.begin()) {
    const auto met = std::prev(next);
    const auto& [end, met_place] = met->second;
    if (end < low) break;
    if (std::tuple(met->first, met_place.row, met_place.joint) <
        std::tuple(low, place.row, place.joint)) {
      low = met->first;
      place = met_place;
    }
    high = std::max(high, end);
    next = forbidden_.erase(met);
  }
  forbidden_[low] = {high, place};
}

void SlowDownSearch::AddTorque(const ScaledTorque& torque, double v,
                               const TorqueLimit& limit, SamplePlace place) {
  place.kind = LimitKind::kTorque;
  const double speed = std::abs(v);
  for (const auto& [begin, end, over_at_end] :
       WhereOver(torque, speed, limit, 0, 1)) {
    // At full speed the end belongs to it, unless it is a root.
    Forbid(begin, end == 1 && over_at_end ? kBeyond : end, place);
  }
  for (const Stretch& over :
       WhereOver(torque, speed, limit, 1, std::min(fastest_, kFastestPace))) {
    LimitPace(over.begin, place);
  }
}

void SlowDownSearch::AddVelocity(double v, double limit, SamplePlace place) {
  place.kind = LimitKind::kVelocity;
  const double speed = std::abs(v);
  if (speed > limit) Forbid(limit / speed, kBeyond, place);
  if (speed * kFastestPace > limit) LimitPace(limit / speed, place);
}

void SlowDownSearch::LimitPace(double u, const SamplePlace& place) {
  if (!(u < fastest_)) return;
  fastest_ = u;
  fastest_place_ = place;
}

SlowDown SlowDownSearch::Find() const {
  const auto from_1 = forbidden_.lower_bound(1);
  if (from_1 == forbidden_.begin() || std::prev(from_1)->second.first <= 1) {
    return {.fastest = std::max(fastest_, 1.0),
            .fastest_limited_by = fastest_place_};
  }
  const auto& [low, interval] = *std::prev(from_1);
  if (!(low > 0)) return {.possible = false, .limited_by = interval.second};
  return {.factor = 1 / low, .limited_by = interval.second};
}

}  // namespace torqued

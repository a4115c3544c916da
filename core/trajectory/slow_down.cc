#include "core/trajectory/slow_down.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <tuple>

namespace torqued {
namespace {

/// Merging costs about as much as so many additions.
constexpr std::size_t kUnmerged = 256;

/// Above 1, which is as fast as the trajectory itself.
constexpr double kBeyond = 2;

/// a + b u + c u² + s tanh(k u), k >= 0: how far a torque is over a straight
/// piece of its limit.
struct Excess {
  double a = 0;
  double b = 0;
  double c = 0;
  double s = 0;
  double k = 0;

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

/// Ascending numbers, a few.
class Points {
 public:
  void Add(double u) { at_[count_++] = u; }
  const double* begin() const { return at_.data(); }
  const double* end() const { return at_.data() + count_; }

 private:
  // Both ends and as many roots as there can be.
  std::array<double, 6> at_{};
  std::size_t count_ = 0;
};

Points RootsOfQuadratic(const Excess& f) {
  Points roots;
  if (f.c == 0) {
    if (f.b != 0) roots.Add(-f.a / f.b);
    return roots;
  }
  const double discriminant = f.b * f.b - 4 * f.a * f.c;
  if (!(discriminant >= 0)) return roots;
  // Without cancellation.
  const double q = -(f.b + std::copysign(std::sqrt(discriminant), f.b)) / 2;
  if (q == 0) {
    roots.Add(0);
    return roots;
  }
  const auto [low, high] = std::minmax({q / f.c, f.a / q});
  roots.Add(low);
  roots.Add(high);
  return roots;
}

/// Where a monotone f changes its sign between two numbers, to the last digit.
template <class F>
double ZeroBetween(const F& f, double low, double high) {
  const bool rises = f(low) < 0;
  while (true) {
    const double middle = low + (high - low) / 2;
    if (!(low < middle && middle < high)) return low;
    ((f(middle) < 0) == rises ? low : high) = middle;
  }
}

/// The zeros of f, which is monotone from each of the points to the next, with
/// the first and the last of these.
template <class F>
Points WithZeros(const F& f, const Points& points) {
  Points zeros;
  zeros.Add(*points.begin());
  for (const double* at = points.begin(); at + 1 < points.end(); ++at) {
    if ((f(at[0]) < 0) == (f(at[1]) < 0)) continue;
    zeros.Add(ZeroBetween(f, at[0], at[1]));
  }
  zeros.Add(*(points.end() - 1));
  return zeros;
}

/// Between the zeros of its derivative a function is monotone. The second
/// derivative's own rises or falls with T - T³, T = tanh(k u), which turns at
/// T² = 1/3: it has 2 zeros at most, the slope 3, the function 4.
Points RootsOf(const Excess& f, double from, double to) {
  if (f.s == 0 || f.k == 0) return RootsOfQuadratic(f);
  const double turn = std::atanh(std::sqrt(1.0 / 3)) / f.k;
  Points points;
  points.Add(from);
  if (from < turn && turn < to) points.Add(turn);
  points.Add(to);
  points = WithZeros([&f](double u) { return f.Curvature(u); }, points);
  points = WithZeros([&f](double u) { return f.Slope(u); }, points);
  return WithZeros([&f](double u) { return f.At(u); }, points);
}

/// Calls `over` with each stretch of [from, to] where f > 0, in ascending
/// order, until it says that this is enough.
template <class Over>
void WhereOver(const Excess& f, double from, double to, const Over& over) {
  if (f.Most(from, to) <= 0) return;
  const Points roots = RootsOf(f, from, to);
  double begin = from;
  for (const double* root = roots.begin(); begin < to; ++root) {
    const bool last = root == roots.end();
    const double end = last ? to : std::clamp(*root, begin, to);
    if (end > begin && f.At(begin + (end - begin) / 2) > 0 &&
        over(begin, end)) {
      return;
    }
    if (last) return;
    begin = end;
  }
}

/// Calls `piece` with each straight piece of the limit over [from, to], as far
/// as the torque is over it or under its negative, in ascending order.
template <class Piece>
void ForEachPiece(const ScaledTorque& torque, double speed,
                  const TorqueLimit& limit, double from, double to,
                  const Piece& piece) {
  const auto& points = limit.points();
  const double k_tanh = std::abs(torque.sharpness);
  const double smooth = std::copysign(torque.smooth, torque.sharpness);
  for (std::size_t k = 0; k <= points.size() && from < to; ++k) {
    const bool ends = k < points.size() && points[k].speed < speed * to;
    const double end = ends ? std::max(from, points[k].speed / speed) : to;
    if (end > from) {
      const double at_from = limit.At(from * speed);
      const double slope = (limit.At(end * speed) - at_from) / (end - from);
      const double at_0 = at_from - slope * from;
      for (const double sign : {1.0, -1.0}) {
        piece(Excess{.a = sign * torque.still - at_0,
                     .b = sign * torque.viscous - slope,
                     .c = sign * torque.moving,
                     .s = sign * smooth,
                     .k = k_tanh},
              from, end);
      }
    }
    from = end;
  }
}

}  // namespace

void ForbiddenIntervals::Add(double low, double high,
                             const SamplePlace& place) {
  if (!(low < high)) return;
  intervals_.push_back({low, high, place});
  if (intervals_.size() > 2 * merged_ + kUnmerged) Merge();
}

void ForbiddenIntervals::Merge() {
  std::sort(intervals_.begin(), intervals_.end(),
            [](const Interval& a, const Interval& b) {
              return std::tuple(a.low, a.place.row, a.place.joint) <
                     std::tuple(b.low, b.place.row, b.place.joint);
            });
  std::size_t kept = 0;
  for (const Interval& interval : intervals_) {
    if (kept > 0 && interval.low <= intervals_[kept - 1].high) {
      double& high = intervals_[kept - 1].high;
      high = std::max(high, interval.high);
    } else {
      intervals_[kept++] = interval;
    }
  }
  intervals_.resize(kept);
  merged_ = kept;
}

const ForbiddenIntervals::Interval* ForbiddenIntervals::Holding(double x) {
  Merge();
  for (const Interval& interval : intervals_) {
    if (interval.low < x && x <= interval.high) return &interval;
  }
  return nullptr;
}

void SlowDownSearch::AddTorque(const ScaledTorque& torque, double v,
                               const TorqueLimit& limit,
                               const SamplePlace& at) {
  if (!limit.present()) return;
  SamplePlace place = at;
  place.kind = LimitKind::kTorque;
  const double speed = std::abs(v);
  double lowest = limit.At(0);
  for (const TorqueAtSpeed& point : limit.points()) {
    lowest = std::min(lowest, point.torque);
  }
  // Most samples are far from every limit.
  const double still = std::abs(torque.still) + std::abs(torque.smooth);
  const double viscous = std::abs(torque.viscous);
  const double moving = std::abs(torque.moving);
  if (still + viscous + moving > lowest) {
    ForEachPiece(torque, speed, limit, 0, 1,
                 [&](const Excess& f, double from, double to) {
                   WhereOver(f, from, to, [&](double begin, double end) {
                     // At full speed the end belongs to it, unless it is a
                     // root.
                     const bool whole = end == 1 && f.At(1) > 0;
                     forbidden_.Add(begin, whole ? kBeyond : end, place);
                     return false;
                   });
                 });
  }
  const double most = std::min(fastest_, kFastestPace);
  if (still + most * (viscous + most * moving) > lowest) {
    ForEachPiece(torque, speed, limit, 1, most,
                 [&](const Excess& f, double from, double to) {
                   WhereOver(f, from, to, [&](double begin, double /*end*/) {
                     LimitPace(begin, place);
                     return true;
                   });
                 });
  }
}

void SlowDownSearch::AddVelocity(double v, double limit,
                                 const SamplePlace& at) {
  SamplePlace place = at;
  place.kind = LimitKind::kVelocity;
  const double speed = std::abs(v);
  if (speed > limit) forbidden_.Add(limit / speed, kBeyond, place);
  if (speed * kFastestPace > limit) LimitPace(limit / speed, place);
}

void SlowDownSearch::LimitPace(double u, const SamplePlace& place) {
  if (!(u < fastest_)) return;
  fastest_ = u;
  fastest_place_ = place;
}

SlowDown SlowDownSearch::Find() {
  const ForbiddenIntervals::Interval* interval = forbidden_.Holding(1);
  if (interval == nullptr || interval->high <= 1) {
    return {.fastest = std::max(fastest_, 1.0),
            .fastest_limited_by = fastest_place_};
  }
  if (!(interval->low > 0)) {
    return {.possible = false, .limited_by = interval->place};
  }
  return {.factor = 1 / interval->low, .limited_by = interval->place};
}

}  // namespace torqued

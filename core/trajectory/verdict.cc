#include "core/trajectory/verdict.h"

namespace torqued {
namespace {

/// The earliest comes first, of several the gravest.
auto ByTime(const LimitViolation& violation) {
  return std::tuple(violation.first_row, violation.first_after,
                    Order(violation));
}

void KeepFarthest(PeakValue& peak, const PeakValue& candidate) {
  if (!peak.present() || std::abs(candidate.value) > std::abs(peak.value)) {
    peak = candidate;
  }
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
  const double top = effort ? *effort : kInfinity;
  for (std::size_t k = 0; k < curve.size(); ++k) {
    const TorqueAtSpeed& point = curve[k];
    const TorqueAtSpeed& before = curve[k > 0 ? k - 1 : 0];
    if ((before.torque > top) != (point.torque > top)) {
      const double share =
          (top - before.torque) / (point.torque - before.torque);
      const double speed = before.speed + share * (point.speed - before.speed);
      if (speed > points_.back().speed && speed < point.speed) {
        points_.push_back({speed, top});
      }
    }
    points_.push_back({point.speed, std::min(point.torque, top)});
  }
  for (TorqueAtSpeed& point : points_) point.torque *= derating;
}

double TorqueLimit::At(double speed) const {
  if (points_.empty()) return kInfinity;
  const double magnitude = std::abs(speed);
  const auto above =
      std::ranges::upper_bound(points_, magnitude, {}, &TorqueAtSpeed::speed);
  if (above == points_.begin()) return above->torque;
  if (above == points_.end()) return points_.back().torque;
  const TorqueAtSpeed &a = *std::prev(above), &b = *above;
  const double share = (magnitude - a.speed) / (b.speed - a.speed);
  return a.torque + share * (b.torque - a.torque);
}

void Restrict(PayloadRange& range, const LoadedTorque& torque, double limit,
              const SamplePlace& place) {
  if (std::isinf(limit)) return;
  if (torque.per_kg == 0) {
    if (std::abs(torque.without) > limit) range.most = -1;
    return;
  }
  const auto [low, high] =
      std::minmax({(limit - torque.without) / torque.per_kg,
                   (-limit - torque.without) / torque.per_kg});
  range.least = std::max(range.least, low);
  if (high < range.most) {
    range.most = high;
    range.limited_by = place;
  }
}

void ViolationTracker::Add(LimitKind kind, const SamplePlace& place,
                           double value, double limit, double severity) {
  LimitViolation& open = open_[place.joint][static_cast<std::size_t>(kind)];
  // An extremum behind the next sample is no neighbour: that one would be.
  const bool next_to = place.row == open.last_row ||
                       (place.row == open.last_row + 1 && place.after == 0);
  const double gap = (time_[place.row] + place.after) -
                     (time_[open.last_row] + open.last_after);
  const bool goes_on = open.severity > 0 && (next_to || gap <= gap_);
  if (!goes_on) {
    Close(open);
    open = {.kind = kind,
            .joint = place.joint,
            .first_row = place.row,
            .first_after = place.after};
  }
  open.last_row = place.row;
  open.last_after = place.after;
  if (place.after == 0) ++open.samples;
  if (severity > open.severity) {
    open.severity = severity;
    open.worst = {place.row, value, place.after};
    open.limit = limit;
  }
}

void ViolationTracker::Close(const LimitViolation& violation) {
  if (!(violation.severity > 0)) return;
  AddTo(found_, violation);
  if (!found_.first || ByTime(violation) < ByTime(*found_.first)) {
    found_.first = violation;
  }
}

Violations ViolationTracker::Finish() {
  for (const auto& of_joint : open_) {
    for (const LimitViolation& open : of_joint) Close(open);
  }
  Trim(found_);
  return std::move(found_);
}

double UseOf(double value, double limit) {
  if (value == 0) return 0;
  if (limit == 0) return kInfinity;
  return std::abs(value) / limit;
}

void JointTally::Integral::Add(double step, double value) {
  // 0 times infinity would be no number.
  if (step > 0) sum += step * (last / 2 + value / 2);
  last = value;
}

double JointTally::Integral::RootMean(double duration) const {
  return std::sqrt(duration > 0 ? sum / duration : last);
}

bool JointTally::overflows() const {
  return square_of_torque_.overflows() ||
         !std::isfinite(demand_.energy_given) ||
         !std::isfinite(demand_.energy_taken) ||
         (std::isfinite(demand_.torque_use.value) &&
          square_of_use_.overflows());
}

void JointTally::Add(std::int64_t row, double step, double v, double tau,
                     double limit) {
  KeepFarthest(demand_.torque, {row, tau});
  square_of_torque_.Add(step, tau * tau);
  if (!std::isinf(limit)) {
    const double use = UseOf(tau, limit);
    KeepLargest(demand_.torque_use, {row, use});
    square_of_use_.Add(step, use * use);
  }
  const double power = tau * v;
  KeepLargest(demand_.highest_power, {row, power});
  KeepSmallest(demand_.lowest_power, {row, power});
  const double before = std::exchange(last_power_, power);
  const auto add = [this](double energy) {
    (energy > 0 ? demand_.energy_given : demand_.energy_taken) +=
        std::abs(energy);
  };
  if (std::signbit(before) == std::signbit(power) || before == 0 ||
      power == 0) {
    return add(step * (before / 2 + power / 2));
  }
  // A triangle on either side of where the line is 0.
  const double turn = before / (before - power);
  add(turn * step * (before / 2));
  add((1 - turn) * step * (power / 2));
}

void JointTally::AddPosition(const PeakValue& q) {
  KeepSmallest(demand_.lowest_position, q);
  KeepLargest(demand_.highest_position, q);
}

void JointTally::AddVelocity(const PeakValue& v, double limit) {
  KeepFarthest(demand_.velocity, v);
  if (std::isinf(limit)) return;
  KeepLargest(demand_.velocity_use, {v.row, UseOf(v.value, limit), v.after});
}

JointDemand JointTally::Finish(double duration) const {
  JointDemand demand = demand_;
  demand.rms_torque = square_of_torque_.RootMean(duration);
  if (demand.torque_use.present()) {
    demand.rms_torque_use = square_of_use_.RootMean(duration);
  }
  return demand;
}

}  // namespace torqued

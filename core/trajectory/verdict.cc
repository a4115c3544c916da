#include "core/trajectory/verdict.h"

#include <cmath>
#include <tuple>
#include <utility>

namespace torqued {
namespace {

bool IsGraver(const LimitViolation& a, const LimitViolation& b) {
  return std::tuple(-a.severity, a.first_row, a.first_after, a.kind, a.joint) <
         std::tuple(-b.severity, b.first_row, b.first_after, b.kind, b.joint);
}

bool IsEarlier(const LimitViolation& a, const LimitViolation& b) {
  return std::tuple(a.first_row, a.first_after, -a.severity, a.kind, a.joint) <
         std::tuple(b.first_row, b.first_after, -b.severity, b.kind, b.joint);
}

void KeepFarthest(PeakValue& peak, const PeakValue& candidate) {
  if (!peak.present() || std::abs(candidate.value) > std::abs(peak.value)) {
    peak = candidate;
  }
}

/// Root of the mean over time; of a single sample its magnitude.
double RootMean(double sum, double last, double duration) {
  return std::sqrt(duration > 0 ? sum / duration : last);
}

}  // namespace

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

void ViolationTracker::Add(LimitKind kind, const SamplePlace& place,
                           double value, double limit, double severity) {
  LimitViolation& open = open_[place.joint][static_cast<std::size_t>(kind)];
  const auto time_of = [&](std::int64_t row, double after) {
    return time_[row] + after;
  };
  // An extremum behind the next sample is no neighbour: that one would be.
  const bool next_to = place.row == open.last_row ||
                       (place.row == open.last_row + 1 && place.after == 0);
  const bool goes_on =
      open.severity > 0 &&
      (next_to || time_of(place.row, place.after) -
                          time_of(open.last_row, open.last_after) <=
                      gap_);
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
    open.worst_row = place.row;
    open.worst_after = place.after;
    open.value = value;
    open.limit = limit;
  }
}

void ViolationTracker::Close(const LimitViolation& violation) {
  if (!(violation.severity > 0)) return;
  ++found_.count;
  ++found_.counts[violation.joint][static_cast<std::size_t>(violation.kind)];
  if (!found_.first || IsEarlier(violation, *found_.first)) {
    found_.first = violation;
  }
  KeepGravest(violation, kMaxListed, IsGraver, &found_.gravest);
}

Violations ViolationTracker::Finish() {
  for (auto& of_joint : open_) {
    for (LimitViolation& open : of_joint) {
      Close(open);
      open = {};
    }
  }
  std::sort_heap(found_.gravest.begin(), found_.gravest.end(), IsGraver);
  return std::move(found_);
}

void KeepLargest(PeakValue& peak, const PeakValue& candidate) {
  if (!peak.present() || candidate.value > peak.value) peak = candidate;
}

void KeepSmallest(PeakValue& peak, const PeakValue& candidate) {
  if (!peak.present() || candidate.value < peak.value) peak = candidate;
}

double UseOf(double value, double limit) {
  if (value == 0) return 0;
  if (limit == 0) return std::numeric_limits<double>::infinity();
  return std::abs(value) / limit;
}

void JointTally::Integral::Add(double step, double value) {
  // 0 times infinity would be no number.
  if (step > 0) sum += step * (last / 2 + value / 2);
  last = value;
}

void JointTally::AddPower(double step, double power) {
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

bool JointTally::overflows() const {
  const auto left_range = [](double sum) { return !std::isfinite(sum); };
  return left_range(square_of_torque_.sum) ||
         left_range(square_of_torque_.last) ||
         left_range(demand_.energy_given) || left_range(demand_.energy_taken) ||
         (std::isfinite(demand_.torque_use.value) &&
          (left_range(square_of_use_.sum) || left_range(square_of_use_.last)));
}

void JointTally::Add(std::int64_t row, double step, const JointSample& sample) {
  KeepFarthest(demand_.torque, {row, sample.tau});
  AddPosition(row, 0, sample.q);
  AddVelocity(row, 0, sample.v, sample.velocity_limit);
  square_of_torque_.Add(step, sample.tau * sample.tau);
  if (!std::isinf(sample.torque_limit)) {
    const double use = UseOf(sample.tau, sample.torque_limit);
    KeepLargest(demand_.torque_use, {row, use});
    square_of_use_.Add(step, use * use);
  }
  const double power = sample.tau * sample.v;
  KeepLargest(demand_.highest_power, {row, power});
  KeepSmallest(demand_.lowest_power, {row, power});
  AddPower(step, power);
}

void JointTally::AddPosition(std::int64_t row, double after, double q) {
  KeepSmallest(demand_.lowest_position, {row, q, after});
  KeepLargest(demand_.highest_position, {row, q, after});
}

void JointTally::AddVelocity(std::int64_t row, double after, double v,
                             double limit) {
  KeepFarthest(demand_.velocity, {row, v, after});
  if (!std::isinf(limit)) {
    KeepLargest(demand_.velocity_use, {row, UseOf(v, limit), after});
  }
}

JointDemand JointTally::Finish(double duration) const {
  JointDemand demand = demand_;
  demand.rms_torque =
      RootMean(square_of_torque_.sum, square_of_torque_.last, duration);
  if (demand.torque_use.present()) {
    demand.rms_torque_use =
        RootMean(square_of_use_.sum, square_of_use_.last, duration);
  }
  return demand;
}

}  // namespace torqued

#include "core/trajectory/joint_tally.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace torqued {
namespace {

/// The first of equals stays.
void KeepIf(bool better, PeakValue& peak, const PeakValue& candidate) {
  if (!peak.present() || better) peak = candidate;
}

void KeepLargest(PeakValue& peak, const PeakValue& candidate) {
  KeepIf(candidate.value > peak.value, peak, candidate);
}

void KeepSmallest(PeakValue& peak, const PeakValue& candidate) {
  KeepIf(candidate.value < peak.value, peak, candidate);
}

void KeepFarthest(PeakValue& peak, const PeakValue& candidate) {
  KeepIf(std::abs(candidate.value) > std::abs(peak.value), peak, candidate);
}

/// Root of the mean over time; of a single sample its magnitude.
double RootMean(double sum, double last, double duration) {
  return std::sqrt(duration > 0 ? sum / duration : last);
}

}  // namespace

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
  KeepFarthest(demand_.velocity, {row, sample.v});
  KeepSmallest(demand_.lowest_position, {row, sample.q});
  KeepLargest(demand_.highest_position, {row, sample.q});
  square_of_torque_.Add(step, sample.tau * sample.tau);
  if (!std::isinf(sample.torque_limit)) {
    const double use = UseOf(sample.tau, sample.torque_limit);
    KeepLargest(demand_.torque_use, {row, use});
    square_of_use_.Add(step, use * use);
  }
  if (!std::isinf(sample.velocity_limit)) {
    KeepLargest(demand_.velocity_use,
                {row, UseOf(sample.v, sample.velocity_limit)});
  }
  const double power = sample.tau * sample.v;
  KeepLargest(demand_.highest_power, {row, power});
  KeepSmallest(demand_.lowest_power, {row, power});
  AddPower(step, power);
}

void JointTally::AddPositionBetween(std::int64_t row, double after, double q) {
  KeepSmallest(demand_.lowest_position, {row, q, after});
  KeepLargest(demand_.highest_position, {row, q, after});
}

void JointTally::AddVelocityBetween(std::int64_t row, double after, double v,
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

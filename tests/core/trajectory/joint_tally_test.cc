#include "core/trajectory/verdict.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace torqued {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

JointSample Sample(double v, double tau, double limit = kInfinity) {
  return {
      .v = v, .tau = tau, .torque_limit = limit, .velocity_limit = kInfinity};
}

TEST(JointTally, EnergiesAreThoseOfAPowerThatIsStraightBetweenSamples) {
  JointTally tally;
  // From 9.81 W to -9.81 W in a second, then to 3 W in 2, and a pause.
  tally.Add(0, 0, Sample(1, 9.81));
  tally.Add(1, 1, Sample(1, -9.81));
  tally.Add(2, 2, Sample(0.5, 6));
  tally.Add(3, 4, Sample(0, 6));
  const JointDemand demand = tally.Finish(7);
  const double turn = 2 * 9.81 / 12.81;
  EXPECT_NEAR(demand.energy_given, 2.4525 + (2 - turn) * 1.5 + 6, 1e-14);
  EXPECT_NEAR(demand.energy_taken, 2.4525 + turn * 9.81 / 2, 1e-14);
}

TEST(JointTally, ALimitOfNothingMakesTheUseInfiniteFromTheFirstSampleOn) {
  for (int samples = 1; samples <= 3; ++samples) {
    JointTally tally;
    tally.Add(0, 0, Sample(0, 5, 0));
    for (int row = 1; row < samples; ++row) {
      tally.Add(row, 0.5, Sample(0, 5, 10));
    }
    const JointDemand demand = tally.Finish(0.5 * (samples - 1));
    EXPECT_EQ(demand.torque_use.value, kInfinity);
    EXPECT_EQ(demand.rms_torque_use, kInfinity) << samples;
    EXPECT_NEAR(demand.rms_torque, 5, 1e-15);
    EXPECT_FALSE(tally.overflows());
  }
}

TEST(JointTally, WhatLeavesTheRangeOfNumbersIsTold) {
  JointTally square, energy, use;
  square.Add(0, 0, Sample(0, 1e160));
  EXPECT_TRUE(square.overflows());
  energy.Add(0, 0, Sample(1e160, 1e140));
  EXPECT_FALSE(energy.overflows());
  energy.Add(1, 1e10, Sample(1e160, 1e140));
  EXPECT_TRUE(energy.overflows());
  use.Add(0, 0, Sample(0, 1, 1e-200));
  EXPECT_TRUE(use.overflows());
}

}  // namespace
}  // namespace torqued

#include "core/trajectory/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "tests/support/random_robot.h"

namespace torqued::testing_support {
namespace {

using enum LimitKind;
using testing::ElementsAre;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(JointTally, ALimitOfNothingMakesTheUseInfiniteFromTheFirstSampleOn) {
  for (int samples = 1; samples <= 3; ++samples) {
    JointTally tally;
    tally.Add(0, 0, 0, 5, 0);
    for (int row = 1; row < samples; ++row) {
      tally.Add(row, 0.5, 0, 5, 10);
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
  square.Add(0, 0, 0, 1e160, kInfinity);
  EXPECT_TRUE(square.overflows());
  energy.Add(0, 0, 1e160, 1e140, kInfinity);
  EXPECT_FALSE(energy.overflows());
  energy.Add(1, 1e10, 1e160, 1e140, kInfinity);
  EXPECT_TRUE(energy.overflows());
  use.Add(0, 0, 0, 1, 1e-200);
  EXPECT_TRUE(use.overflows());
}

TEST(PayloadRange, IsAllThatPasses) {
  constexpr double kLimit = 20;
  const auto passes = [](const LoadedTorque& torque, double mass,
                         double slack) {
    return std::abs(torque.without + mass * torque.per_kg) <= kLimit + slack;
  };
  int found_some = 0, found_none = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    std::vector<LoadedTorque> samples;
    PayloadRange range;
    for (int k = 0; k < 6; ++k) {
      const double without = random.Uniform(-22, 22);
      samples.push_back({without, random.Uniform(-40, 40) - without});
      Restrict(range, samples.back(), kLimit, {k, 0});
    }
    const bool some = range.least <= range.most;
    for (int k = 0; k < 2000; ++k) {
      const double mass = 0.01 * k;
      const bool inside = mass >= range.least && mass <= range.most;
      const bool all = std::ranges::all_of(samples, [&](const auto& torque) {
        return passes(torque, mass, inside ? 1e-9 : -1e-9);
      });
      EXPECT_EQ(all, inside) << "seed " << seed << ", mass " << mass;
    }
    ++(some ? found_some : found_none);
    if (!some) continue;
    const auto& at = samples[static_cast<std::size_t>(range.limited_by.row)];
    EXPECT_FALSE(passes(at, range.most + 1e-6, 0)) << seed;
  }
  EXPECT_GT(found_some, 50);
  EXPECT_GT(found_none, 20);
}

const std::vector<double> kTime = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};

TEST(Violations, AnExtremumBelongsToTheSamplesNextToIt) {
  ViolationTracker tracker(1, kTime, 0);
  // Between 1 and 2, at 2, between 2 and 3; then alone between 4 and 5.
  tracker.Add(kPosition, {1, 0, 0.5}, 2, 1, 1.2);
  tracker.Add(kPosition, {2, 0}, 2, 1, 1.1);
  tracker.Add(kPosition, {2, 0, 0.25}, 2, 1, 1.3);
  tracker.Add(kPosition, {4, 0, 0.5}, 2, 1, 1.4);
  // The sample between these two keeps the limit.
  tracker.Add(kPosition, {5, 0, 0.5}, 2, 1, 1.5);
  const Violations found = tracker.Finish();
  ASSERT_EQ(found.count, 3);
  EXPECT_EQ(found.first->first_row, 1);
  EXPECT_EQ(found.gravest[0].first_row, 5);
  EXPECT_EQ(found.gravest[0].samples, 0);
  EXPECT_EQ(found.gravest[0].worst.after, 0.5);
  EXPECT_EQ(found.gravest[1].first_row, 4);
  EXPECT_EQ(found.gravest[2].first_after, 0.5);
  EXPECT_EQ(found.gravest[2].last_row, 2);
  EXPECT_EQ(found.gravest[2].last_after, 0.25);
  EXPECT_EQ(found.gravest[2].samples, 1);
}

TEST(Violations, GapsAreBridgedFromTheLastSampleOn) {
  for (const double gap : {0.0, 1.9, 2.0, 5.0}) {
    ViolationTracker tracker(1, kTime, gap);
    for (const int row : {0, 2, 4, 6}) {
      tracker.Add(kTorque, {row, 0}, 2, 1, 2);
    }
    const auto violations = tracker.Finish().gravest;
    ASSERT_EQ(violations.size(), gap >= 2 ? 1u : 4u) << gap;
    EXPECT_EQ(violations[0].last_row, gap >= 2 ? 6 : 0);
    EXPECT_EQ(violations[0].samples, gap >= 2 ? 4 : 1);
  }
}

TEST(Violations, OfManyTheGravestTheFirstAndTheCountsStay) {
  constexpr int kRows = 5000;
  std::vector<double> time(kRows);
  std::iota(time.begin(), time.end(), 0.0);
  ViolationTracker tracker(2, time, 0);
  std::vector<double> expected = {3};
  // The first one is the least.
  tracker.Add(kPosition, {0, 1}, 1, 0.5, 1.001);
  for (int row = 1; row < kRows; row += 2) {
    expected.push_back(2 + std::sin(0.7 * row));
    tracker.Add(kTorque, {row, 0}, row, 1, expected.back());
  }
  tracker.Add(kVelocity, {kRows - 1, 1}, 9, 3, 3);
  const Violations violations = tracker.Finish();
  EXPECT_EQ(violations.count, 2502);
  EXPECT_THAT(violations.counts, ElementsAre(Violations::Counts{2500, 0, 0},
                                             Violations::Counts{0, 1, 1}));
  ASSERT_TRUE(violations.first);
  EXPECT_EQ(violations.first->kind, kPosition);
  std::sort(expected.rbegin(), expected.rend());
  ASSERT_EQ(violations.gravest.size(), 1000u);
  for (std::size_t k = 0; k < 1000; ++k) {
    EXPECT_EQ(violations.gravest[k].severity, expected[k]) << k;
  }
  EXPECT_EQ(violations.gravest[0].kind, kVelocity);
}

TEST(Violations, OfThoseThatBeginTogetherTheGravestIsTheFirst) {
  ViolationTracker tracker(3, kTime, 0);
  tracker.Add(kTorque, {4, 0}, 2, 1, 2);
  tracker.Add(kTorque, {4, 1}, 4, 1, 4);
  tracker.Add(kTorque, {4, 2}, 3, 1, 3);
  EXPECT_EQ(tracker.Finish().first->joint, 1);
}

}  // namespace
}  // namespace torqued::testing_support

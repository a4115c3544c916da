// Limits of the torque, and the paces at which they are kept.
#include "core/trajectory/verdict.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/trajectory/trajectory_check.h"
#include "tests/support/random_robot.h"

namespace torqued::testing_support {
namespace {

struct Sample {
  ScaledTorque torque;
  double v = 0;
};

bool Passes(const std::vector<Sample>& samples, const TorqueLimit& limit,
            double u, double slack) {
  for (const auto& [torque, v] : samples) {
    const double tau = torque.still + u * torque.viscous +
                       u * u * torque.moving +
                       torque.smooth * std::tanh(u * torque.sharpness);
    if (std::abs(tau) > limit.At(u * v) + slack) return false;
  }
  return true;
}

/// Against all paces in small steps. `smooth`: the largest smooth friction, of
/// any sharpness.
void ExpectTheFastestPaceThatPasses(double smooth) {
  const TorqueLimit limits[] = {
      TorqueLimit(30, {}, 1), TorqueLimit(std::nullopt, {{0, 45}, {4, 15}}, 1),
      TorqueLimit(40, {{0.5, 60}, {1, 35}, {3, 20}}, 0.9)};
  int slowed = 0, impossible = 0, faster = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    const TorqueLimit& limit = limits[seed % std::size(limits)];
    std::vector<Sample> samples;
    SlowDownSearch search;
    for (std::uint64_t k = 0; k <= seed % 7; ++k) {
      const double v = random.Uniform(-4, 4);
      samples.push_back({{random.Uniform(-33, 33), random.Uniform(-8, 8),
                          random.Uniform(-60, 60), random.Uniform(0, smooth),
                          v * std::pow(10, random.Uniform(-1.5, 2))},
                         v});
      search.AddTorque(samples.back().torque, v, limit,
                       {static_cast<std::int64_t>(k), 0});
    }
    const auto found = search.Find();
    const auto passes_at = [&](const SamplePlace& place, double u,
                               double slack) {
      return Passes({samples[static_cast<std::size_t>(place.row)]}, limit, u,
                    slack);
    };
    constexpr int kSteps = 4000;
    const int last = found.possible
                         ? static_cast<int>(kSteps / found.factor * (1 + 1e-9))
                         : 0;
    // Nothing faster passes.
    for (int step = kSteps; step > last + 1; --step) {
      EXPECT_FALSE(Passes(samples, limit, double(step) / kSteps, -1e-7))
          << "seed " << seed << ", u = " << double(step) / kSteps;
    }
    if (!found.possible) {
      ++impossible;
      EXPECT_FALSE(passes_at(found.limited_by, 0, -1e-9)) << seed;
      continue;
    }
    EXPECT_TRUE(Passes(samples, limit, 1 / found.factor, 1e-9)) << seed;
    EXPECT_GE(found.factor, 1);
    if (found.factor > 1) {
      ++slowed;
      // The place named is at its limit.
      EXPECT_FALSE(passes_at(found.limited_by, (1 + 1e-6) / found.factor, 0))
          << seed;
      EXPECT_EQ(found.fastest, 1);
      continue;
    }
    // All up to the fastest passes, and then comes a pace that does not.
    ++faster;
    ASSERT_LT(found.fastest, 1e6) << seed;
    for (int step = 0; step <= 200; ++step) {
      const double u = 1 + (found.fastest - 1) * step / 200;
      EXPECT_TRUE(Passes(samples, limit, u, 1e-9)) << seed << ", u = " << u;
    }
    EXPECT_FALSE(
        passes_at(found.fastest_limited_by, (1 + 1e-6) * found.fastest, 0))
        << seed;
  }
  EXPECT_GT(slowed, 50);
  EXPECT_GT(impossible, 10);
  EXPECT_GT(faster, 10);
}

TEST(SlowDown, IsTheFastestPaceThatPasses) {
  ExpectTheFastestPaceThatPasses(0);
  ExpectTheFastestPaceThatPasses(40);
}

TEST(SlowDown, SmoothFrictionHoldsTheWeightOnlyWhileItMoves) {
  // 9.81 N m of weight, of which moving takes off 3 tanh(4 u).
  SlowDownSearch search;
  search.AddTorque({.still = 9.81, .smooth = 3, .sharpness = -4}, -4,
                   TorqueLimit(9, {}, 1), {0, 0});
  EXPECT_EQ(search.Find().factor, 1);
  search.AddVelocity(4, 0.2, {1, 0});
  EXPECT_FALSE(search.Find().possible);
  // Alone it is its inverse.
  SlowDownSearch alone;
  alone.AddTorque({.smooth = 5, .sharpness = 2}, 1, TorqueLimit(3, {}, 1),
                  {0, 0});
  EXPECT_NEAR(alone.Find().factor, 2 / std::atanh(0.6), 1e-14);
}

TEST(SlowDown, NoneOfThreeCrossingsOfOneCurveIsMissed) {
  // Rises to 2.23 at u = 0.12, falls to 1.33 at 0.46, and rises to 4.1.
  const ScaledTorque torque{
      .viscous = -9.1, .moving = 9.8, .smooth = 3.4, .sharpness = 13.5};
  const TorqueLimit limit(1.8, {}, 1);
  const auto excess = [&](double u) {
    return Passes({{torque, 1}}, limit, u, 0) ? -1 : 1;
  };
  double low = 0.03, high = 0.12;
  ASSERT_TRUE(excess(low) < 0 && excess(high) > 0 && excess(0.46) < 0);
  while (high - low > 1e-15) {
    const double middle = (low + high) / 2;
    (excess(middle) < 0 ? low : high) = middle;
  }
  SlowDownSearch search;
  search.AddTorque(torque, 1, limit, {0, 0});
  EXPECT_LT(search.Find().factor, 1 / 0.46);
  // Now to end within the first of the two stretches that are too much.
  search.AddVelocity(1, 0.15, {1, 0});
  EXPECT_NEAR(search.Find().factor * low, 1, 1e-13);
  EXPECT_EQ(search.Find().limited_by.row, 0);
}

TEST(SlowDown, HoldingStillLimitsNothingAndNoPaceIsSlowEnoughForNone) {
  SlowDownSearch search;
  search.AddTorque({10, 0, 0}, 0, TorqueLimit(20, {}, 1), {0, 0});
  search.AddVelocity(0, 0, {0, 0});
  EXPECT_TRUE(search.Find().possible);
  EXPECT_TRUE(std::isinf(search.Find().fastest));
  search.AddVelocity(1e-3, 0, {4, 1});
  const auto found = search.Find();
  EXPECT_FALSE(found.possible);
  EXPECT_EQ(found.limited_by.row, 4);
  EXPECT_EQ(found.limited_by.joint, 1);
  EXPECT_EQ(found.limited_by.kind, LimitKind::kVelocity);
}

TEST(TorqueLimit, CurvesThatMakeNoSenseAreTold) {
  const auto is_refused = [](const std::vector<TorqueAtSpeed>& curve) {
    JointBounds bounds;
    bounds.torque_at_speed = curve;
    const auto problem = Validate(bounds, {});
    return problem && problem->member == "torque_at_speed";
  };
  EXPECT_FALSE(is_refused({{1, 40}, {3, 20}, {5, 0}}));
  EXPECT_TRUE(is_refused({{1, 2}, {1, 3}}));
  for (const double number : {-1.0, std::nan("")}) {
    EXPECT_TRUE(is_refused({{number, 2}}));
    EXPECT_TRUE(is_refused({{1, number}}));
  }
}

}  // namespace
}  // namespace torqued::testing_support

#include "core/trajectory/torque_limit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace torqued {
namespace {

const std::vector<TorqueAtSpeed> kFalling = {{1, 40}, {3, 20}, {5, 0}};

TEST(TorqueLimit, NothingGivenIsNoLimit) {
  EXPECT_FALSE(TorqueLimit().present());
  EXPECT_TRUE(std::isinf(TorqueLimit(std::nullopt, {}, 0.5).At(3)));
}

TEST(TorqueLimit, AnEffortIsTheSameAtAllSpeeds) {
  const TorqueLimit limit(30, {}, 1);
  for (const double speed : {-9.0, 0.0, 0.5, 100.0}) {
    EXPECT_EQ(limit.At(speed), 30);
  }
}

TEST(TorqueLimit, ACurveIsStraightBetweenItsPointsAndConstantBeyond) {
  const TorqueLimit limit(std::nullopt, kFalling, 1);
  EXPECT_EQ(limit.At(0), 40);
  EXPECT_EQ(limit.At(1), 40);
  EXPECT_EQ(limit.At(2), 30);
  EXPECT_EQ(limit.At(-2), 30);
  EXPECT_EQ(limit.At(4.5), 5);
  EXPECT_EQ(limit.At(5), 0);
  EXPECT_EQ(limit.At(50), 0);
}

TEST(TorqueLimit, TheSmallerOfCurveAndEffortCounts) {
  const TorqueLimit capped(25, kFalling, 1);
  const TorqueLimit curve(std::nullopt, kFalling, 1);
  for (int k = 0; k < 48; ++k) {
    const double speed = 0.125 * k;
    EXPECT_NEAR(capped.At(speed), std::min(25.0, curve.At(speed)), 1e-13)
        << speed;
  }
  const TorqueLimit rising(25, {{0, 10}, {2, 50}}, 1);
  EXPECT_NEAR(rising.At(0.5), 20, 1e-13);
  EXPECT_NEAR(rising.At(0.8), 25, 1e-13);
  EXPECT_NEAR(rising.At(1.5), 25, 1e-13);
}

TEST(TorqueLimit, DeratingMultipliesAll) {
  const TorqueLimit full(25, kFalling, 1), derated(25, kFalling, 0.8);
  for (int k = 0; k < 24; ++k) {
    const double speed = 0.25 * k;
    EXPECT_NEAR(derated.At(speed), 0.8 * full.At(speed), 1e-13);
  }
}

TEST(TorqueLimit, CurvesThatMakeNoSenseAreTold) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(Validate({}));
  EXPECT_FALSE(Validate(kFalling));
  EXPECT_TRUE(Validate({{1, 2}, {1, 3}}));
  EXPECT_TRUE(Validate({{2, 2}, {1, 3}}));
  EXPECT_TRUE(Validate({{-1, 2}}));
  EXPECT_TRUE(Validate({{1, -2}}));
  EXPECT_TRUE(Validate({{kNaN, 2}}));
  EXPECT_TRUE(Validate({{1, kNaN}}));
}

}  // namespace
}  // namespace torqued

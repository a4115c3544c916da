#include "core/model/description.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <numbers>
#include <random>

namespace torqued {
namespace {

using RowMajor = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

RowMajor Rotation(const Pose& pose) {
  return Eigen::Map<const RowMajor>(pose.R.data());
}

// Independent of the closed form: three turns about fixed axes.
RowMajor TurnXThenYThenZ(const std::array<double, 3>& rpy) {
  using Eigen::AngleAxisd;
  using Eigen::Vector3d;
  return (AngleAxisd(rpy[2], Vector3d::UnitZ()) *
          AngleAxisd(rpy[1], Vector3d::UnitY()) *
          AngleAxisd(rpy[0], Vector3d::UnitX()))
      .toRotationMatrix();
}

TEST(Pose, RollPitchYawTurnAboutFixedAxes) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> angle(-7, 7);
  for (int i = 0; i < 200; ++i) {
    const std::array<double, 3> rpy = {angle(random), angle(random),
                                       angle(random)};
    const Pose pose = Pose::FromXyzRpy({1, 2, 3}, rpy);
    EXPECT_LT((Rotation(pose) - TurnXThenYThenZ(rpy)).norm(), 1e-15 * 10);
    EXPECT_THAT(pose.p, testing::ElementsAre(1, 2, 3));
  }
}

TEST(Pose, OrderOfTheAnglesMatters) {
  // The twin: with the order of the axes reversed the answer is another.
  const std::array<double, 3> rpy = {0.3, 0.5, 0.7};
  const Pose pose = Pose::FromXyzRpy({0, 0, 0}, rpy);
  const RowMajor reversed = TurnXThenYThenZ({-0.3, -0.5, -0.7}).transpose();
  EXPECT_GT((Rotation(pose) - reversed).norm(), 0.1);
}

TEST(Pose, ZeroAnglesAreExact) {
  const Pose identity = Pose::FromXyzRpy({0, 0, 0}, {0, 0, 0});
  EXPECT_EQ(identity.R, Pose{}.R);
  for (const double r : identity.R) EXPECT_FALSE(std::signbit(r));
  // A turn about one axis leaves the others' entries exact.
  const Pose roll = Pose::FromXyzRpy({0, 0, 0}, {0.7, -0.0, 0});
  EXPECT_THAT(roll.R,
              testing::ElementsAre(1, 0, 0, 0, std::cos(0.7), -std::sin(0.7), 0,
                                   std::sin(0.7), std::cos(0.7)));
}

TEST(Pose, ProductChainsPlacements) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> uniform(-2, 2);
  const auto draw = [&] {
    const std::array<double, 3> xyz = {uniform(random), uniform(random),
                                       uniform(random)};
    const std::array<double, 3> rpy = {uniform(random), uniform(random),
                                       uniform(random)};
    return Pose::FromXyzRpy(xyz, rpy);
  };
  for (int i = 0; i < 50; ++i) {
    const Pose ab = draw(), bc = draw(), ac = ab * bc;
    const Eigen::Vector3d x(0.3, -0.4, 0.5);
    const Eigen::Map<const Eigen::Vector3d> p_ab(ab.p.data()),
        p_bc(bc.p.data()), p_ac(ac.p.data());
    const Eigen::Vector3d direct = Rotation(ac) * x + p_ac;
    const Eigen::Vector3d step =
        Rotation(ab) * (Rotation(bc) * x + p_bc) + p_ab;
    EXPECT_LT((direct - step).norm(), 1e-14);
  }
}

}  // namespace
}  // namespace torqued

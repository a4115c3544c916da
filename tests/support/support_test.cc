#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>
#include <string>

#include "core/formats/urdf.h"
#include "tests/support/compare.h"
#include "tests/support/load_model.h"
#include "tests/support/random_robot.h"

namespace torqued::testing_support {
namespace {

using Shape = RandomRobotOptions::Shape;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Bodies without a further joint.
int Ends(const Model& model) {
  std::set<int> ends;
  for (int i = 0; i < model.nv(); ++i) ends.insert(i);
  for (const Joint& joint : model.joints()) ends.erase(joint.parent);
  return static_cast<int>(ends.size());
}

TEST(RandomRobotTest, EqualSeedsGiveEqualRobots) {
  EXPECT_EQ(MakeRandomRobot(5).urdf, MakeRandomRobot(5).urdf);
  EXPECT_NE(MakeRandomRobot(5).urdf, MakeRandomRobot(6).urdf);
}

TEST(RandomRobotTest, RobotsLoadWithoutAWordOfWarning) {
  for (int seed = 0; seed < 200; ++seed) {
    RandomRobotOptions options;
    options.dof = seed % 13;
    options.shape = seed % 2 == 0 ? Shape::kTree : Shape::kChain;
    options.right_angle_share = seed % 3 * 0.5;
    const RandomRobot robot = MakeRandomRobot(seed, options);
    const LoadResult result =
        LoadUrdf(robot.urdf,
                 {.default_tip = robot.tip, .validation = Validation::kStrict});
    ASSERT_NE(result.model, nullptr) << robot.urdf;
    EXPECT_EQ(result.report.warnings(), 0)
        << result.report.findings().front().message;
    EXPECT_EQ(result.model->nv(), robot.dof);
    EXPECT_EQ(result.model->frames().front().name, robot.root);
  }
}

TEST(RandomRobotTest, ChainsHaveOneEndAndTreesTwoAtLeast) {
  for (int seed = 0; seed < 200; ++seed) {
    RandomRobotOptions options;
    options.dof = 2 + seed % 10;
    options.shape = Shape::kChain;
    const RandomRobot chain = MakeRandomRobot(seed, options);
    // No tip is named: it is the only leaf link.
    const auto chain_model = LoadModel(chain.urdf);
    ASSERT_NE(chain_model, nullptr);
    EXPECT_EQ(Ends(*chain_model), 1);
    ASSERT_TRUE(chain_model->tip_frame().has_value());
    EXPECT_EQ(chain_model->frames()[*chain_model->tip_frame()].name, chain.tip);
    options.shape = Shape::kTree;
    const auto tree_model = LoadModel(MakeRandomRobot(seed, options).urdf);
    ASSERT_NE(tree_model, nullptr);
    EXPECT_GE(Ends(*tree_model), 2);
  }
}

TEST(RandomRobotTest, AllTypesOfJointsAndLumpedLinksOccur) {
  RandomRobotOptions options;
  options.dof = 40;
  const auto model = LoadModel(MakeRandomRobot(1, options).urdf);
  ASSERT_NE(model, nullptr);
  std::set<JointType> types;
  for (const Joint& joint : model->joints()) types.insert(joint.type);
  EXPECT_EQ(types.size(), 3u);
  EXPECT_GT(model->frames().size(), 50u);
}

/// Whether a number is −1, 0 or 1 but for what rounded angles leave.
bool IsWhole(double x) {
  return std::abs(x) <= 1 + 1e-15 && std::abs(x - std::round(x)) < 1e-15;
}

TEST(RandomRobotTest, RightAnglesAreAsManyAsAskedFor) {
  constexpr int kDof = 200;
  for (const double share : {0.0, 0.5, 1.0}) {
    const auto model = LoadModel(
        MakeRandomRobot(
            4, {.dof = kDof, .fixed_share = 0, .right_angle_share = share})
            .urdf);
    ASSERT_NE(model, nullptr);
    int right = 0, unshifted = 0;
    for (int i = 0; i < kDof; ++i) {
      const TreeBody& body = model->tree().bodies[i];
      if (!std::all_of(std::begin(body.R), std::end(body.R), IsWhole)) continue;
      EXPECT_TRUE(
          std::all_of(std::begin(body.axis), std::end(body.axis), IsWhole));
      ++right;
      for (const double p : body.p) unshifted += p == 0 ? 1 : 0;
    }
    EXPECT_NEAR(right, share * kDof, share * (1 - share) * kDof / 2) << share;
    EXPECT_NEAR(unshifted, 1.5 * right, 0.3 * right) << share;
  }
}

TEST(RandomRobotTest, StatesLieWithinTheLimits) {
  RandomRobotOptions options;
  options.dof = 30;
  const auto model = LoadModel(MakeRandomRobot(2, options).urdf);
  ASSERT_NE(model, nullptr);
  Random random(3);
  for (int i = 0; i < 20; ++i) {
    const State state = MakeRandomState(*model, random);
    for (const Joint& joint : model->joints()) {
      EXPECT_GE(state.q[joint.q_index],
                joint.limits.lower.value_or(-kInfinity));
      EXPECT_LE(state.q[joint.q_index], joint.limits.upper.value_or(kInfinity));
    }
  }
}

TEST(CompareTest, RelativeErrorIsThatOfTheLargestEntry) {
  const Eigen::Vector2d expected(4, 1);
  EXPECT_EQ(RelativeError(Eigen::Vector2d(4, 1), expected), 0);
  EXPECT_EQ(RelativeError(Eigen::Vector2d(4, 2), expected), 0.25);
  EXPECT_EQ(RelativeError(Eigen::Vector2d(4, 2), expected, 10), 0.1);
}

TEST(CompareTest, WhatCannotBeComparedIsInfinitelyFar) {
  const Eigen::Vector2d expected(4, 1);
  EXPECT_EQ(RelativeError(Eigen::Vector3d(4, 1, 0), expected), kInfinity);
  EXPECT_EQ(RelativeError(Eigen::Vector2d(4, std::nan("")), expected),
            kInfinity);
  EXPECT_EQ(RelativeError(expected, Eigen::Vector2d(0, 0)), kInfinity);
}

}  // namespace
}  // namespace torqued::testing_support

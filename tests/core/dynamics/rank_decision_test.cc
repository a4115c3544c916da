// Tasks beside the whole Jacobian of their frame.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <Eigen/SVD>
#include <algorithm>
#include <numbers>

#include "core/engine/evaluation_plan.h"
#include "core/engine/robot.h"
#include "tests/core/dynamics/robots.h"
#include "tests/support/load_model.h"

namespace torqued::testing_support {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using ::testing::HasSubstr;

// Axes of a task.
constexpr std::uint8_t kAngularY = 1, kAngularZ = 2, kLinearX = 3, kLinearZ = 5;
constexpr Triple kX = {1, 0, 0}, kZ = {0, 0, 1};
constexpr double kHalfTurn = std::numbers::pi;
constexpr double kTypedHalfTurn = 3.1415926536;  // by 1e-11 too much

Robot::Options TaskOf(const char* tip, std::initializer_list<std::uint8_t> axes,
                      ReferenceFrame reference = ReferenceFrame::kLocal) {
  Robot::Options options;
  options.tip_frame = tip;
  options.reference_frame = reference;
  options.sigma_min = true;
  options.task.axis_count = static_cast<int>(axes.size());
  std::copy(axes.begin(), axes.end(), options.task.axes.begin());
  return options;
}

/// Two joints about z, the second turned over by a `turn`, then a joint that
/// slides along the arm. The first one stands `base` metres from the base's
/// origin.
std::shared_ptr<const Model> Arm(double turn, double base = 0.05) {
  const LinkDescription link = Link("", 1, {0.1, 0, 0}, {0.01, 0.01, 0.01});
  return ChainOf({{Shift(base, 0, 0.3), kZ, link},
                  {Pose::FromXyzRpy({0.4, 0, 0.3}, {turn, 0, 0}), kZ, link},
                  {Shift(0.3, 0, 0.3), kX, link, JointKind::kPrismatic}});
}

Robot::OperationalSpaceResult AtRest(Robot& robot, const VectorXd& q) {
  return robot.OperationalSpace(q, VectorXd::Zero(q.size()));
}

const VectorXd kAt = Eigen::Vector3d(0.3, -0.7, 0.1);

TEST(RankDecision, ATaskThatCannotMoveHasRankZeroAndNoInertia) {
  // The origin of the link cannot move along its z: what stands in that row is
  // round-off.
  const auto model = ShippedModel("panda");
  VectorXd q = VectorXd::Zero(model->nv()), v = VectorXd::Ones(model->nv());
  q.head(7) << 0.1, -0.4, 0.2, -1.8, 0.3, 1.6, 0.5;
  Robot robot(model, TaskOf("panda_link3", {kLinearZ}));
  const auto result = robot.OperationalSpace(q, v);
  EXPECT_EQ(result.diagnostics.rank, 0);
  EXPECT_EQ(result.diagnostics.rule, TaskRule::kRangeRestricted);
  EXPECT_EQ(result.lambda(0, 0), 0);
  EXPECT_EQ(result.eta[0], 0);
  EXPECT_LT(result.diagnostics.sigma_min, 1e-15);
  EXPECT_THAT(robot.last_error(), HasSubstr("cannot move"));
}

TEST(RankDecision, RowsThatAreZeroHaveRankZero) {
  // Of the base, and of a link of which no joint moves the origin.
  for (const char* link : {"l0", "l1"}) {
    Robot robot(Arm(kHalfTurn), TaskOf(link, {kLinearZ, kLinearX}));
    const auto result = AtRest(robot, kAt);
    EXPECT_EQ(result.diagnostics.sigma_min, 0) << link;
    EXPECT_EQ(result.diagnostics.rank, 0) << link;
    EXPECT_EQ(result.lambda, MatrixXd::Zero(2, 2)) << link;
    EXPECT_THAT(robot.last_error(), HasSubstr("cannot move"));
  }
}

TEST(RankDecision, ATypedAngleMovesNothingUnlessTheToleranceSaysSo) {
  // The axes of both joints enclose 1e-11: about y the second turns by that.
  Robot::Options options =
      TaskOf("l2", {kAngularY}, ReferenceFrame::kLocalWorldAligned);
  Robot robot(Arm(kTypedHalfTurn), options);
  const auto result = AtRest(robot, kAt);
  EXPECT_EQ(result.diagnostics.rank, 0);
  EXPECT_EQ(result.lambda(0, 0), 0);
  EXPECT_THAT(robot.last_error(), HasSubstr("cannot move"));

  options.task.rank_tolerance = 1e-12;
  Robot meant(Arm(kTypedHalfTurn), options);
  const auto exact = AtRest(meant, kAt);
  EXPECT_EQ(exact.diagnostics.rule, TaskRule::kFullRank);
  const MatrixXd J = robot.Jacobian(kAt).row(1);
  const MatrixXd W = J * robot.MassMatrix(kAt).inverse() * J.transpose();
  EXPECT_NEAR(exact.lambda(0, 0) * W(0, 0), 1, 1e-12);

  // With all its digits the same angle leaves round-off.
  Robot straight(Arm(kHalfTurn), options);
  EXPECT_EQ(AtRest(straight, kAt).diagnostics.rank, 0);
}

TEST(RankDecision, WhatCountsIsAShareOfTheNormOfTheWholeJacobian) {
  constexpr double kLength = 0.3;
  int decided = 0;
  for (Setting s : Settings()) {
    for (const ReferenceFrame frame : kReferenceFrames) {
      s.options.reference_frame = frame;
      s.options.task = {
          .axes = {4, 0, 3}, .axis_count = 3, .characteristic_length = kLength};
      MatrixXd J = Ask(s, {Quantity::kJacobian}, BestTarget())
                       .Matrix(Output::kJacobian, 6);
      J.bottomRows(3) /= kLength;
      MatrixXd rows(3, s.n());
      rows << J.row(4), J.row(0), J.row(3);
      const VectorXd sigma = Eigen::JacobiSVD<MatrixXd>(rows).singularValues();
      for (int k = 0; k < sigma.size(); ++k) {
        for (const double factor : {0.999, 1.001}) {
          const double least = factor * sigma[k];
          const double share = least / J.norm();
          if (share < 1e-6 || share >= 1) continue;
          s.options.task.rank_tolerance = share;
          ++decided;
          const TaskDiagnostics is =
              Ask(s, {Quantity::kOperationalSpace}, BestTarget()).diagnostics;
          EXPECT_EQ(is.rank, (sigma.array() > least).count()) << s.name;
          if (s.n() < 3) continue;
          EXPECT_NEAR(is.sigma_min, sigma[2], 1e-13 * J.norm()) << s.name;
        }
      }
    }
  }
  EXPECT_GT(decided, 500);
}

TEST(RankDecision, TheBaseMayStandFarFromItsOrigin) {
  for (const double base : {1e3, 1e5, 1e7}) {
    for (const ReferenceFrame reference :
         {ReferenceFrame::kLocal, ReferenceFrame::kLocalWorldAligned}) {
      for (std::uint8_t axis = 0; axis < 6; ++axis) {
        for (const char* link : {"l1", "l2", "l3"}) {
          const Robot::Options options = TaskOf(link, {axis}, reference);
          Robot beside(Arm(kHalfTurn), options);
          Robot away(Arm(kHalfTurn, base), options);
          const auto expected = AtRest(beside, kAt).diagnostics,
                     found = AtRest(away, kAt).diagnostics;
          EXPECT_EQ(found.rank, expected.rank) << link << int{axis} << base;
          EXPECT_EQ(found.rule, expected.rule) << link << int{axis} << base;
        }
      }
    }
  }
}

TEST(RankDecision, ASlidingJointAloneMovesItsTask) {
  // At no reach at all, along the base's axes.
  const auto model = ChainOf({{{}, kX, Link("", 2), JointKind::kPrismatic}});
  for (const double at : {0.0, 1e-12, 0.5, 1e9}) {
    Robot robot(model, TaskOf("l1", {kLinearX}));
    const auto result = AtRest(robot, VectorXd::Constant(1, at));
    EXPECT_EQ(result.diagnostics.rank, 1) << at;
    EXPECT_EQ(robot.last_error(), "") << at;
    EXPECT_EQ(result.lambda(0, 0), 2) << at;
  }
}

TEST(RankDecision, AFrameWithoutReachTurns) {
  // On the one axis that there is, at the base's origin.
  Robot robot(ChainOf({{{}, kZ, Link("", 2, {}, {1, 1, 4})}}),
              TaskOf("l1", {kAngularZ, kLinearX}));
  const auto result = AtRest(robot, VectorXd::Zero(1));
  EXPECT_EQ(result.diagnostics.rank, 1);
  EXPECT_NEAR(result.lambda(0, 0), 4, 1e-12);
  EXPECT_EQ(result.lambda(1, 1), 0);
}

}  // namespace
}  // namespace torqued::testing_support

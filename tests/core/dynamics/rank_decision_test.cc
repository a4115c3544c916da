// Tasks beside the whole Jacobian of their frame.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/SVD>
#include <cmath>
#include <sstream>

#include "core/batch/robot.h"
#include "tests/core/dynamics/every_frame.h"
#include "tests/support/load_model.h"

namespace torqued::testing_support {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using ::testing::HasSubstr;

// Axes of a task.
constexpr std::uint8_t kAngularY = 1, kAngularZ = 2, kLinearX = 3, kLinearZ = 5;

Robot::Options TaskOf(const std::string& tip,
                      std::initializer_list<std::uint8_t> axes,
                      ReferenceFrame reference = ReferenceFrame::kLocal) {
  Robot::Options options;
  options.tip_frame = tip;
  options.reference_frame = reference;
  options.sigma_min = true;
  options.task.axis_count = 0;
  for (const std::uint8_t axis : axes) {
    options.task.axes[static_cast<std::size_t>(options.task.axis_count++)] =
        axis;
  }
  return options;
}

/// Two joints about z, the second turned over by a `turn`, then a joint that
/// slides along the arm. The first one stands `base` metres from the base's
/// origin.
std::shared_ptr<const Model> Arm(const std::string& turn, double base = 0.05) {
  std::ostringstream urdf;
  urdf.precision(17);
  const auto inertial = [&] {
    urdf << R"(<inertial><origin xyz="0.1 0 0"/><mass value="1"/>)"
         << R"(<inertia ixx="0.01" iyy="0.01" izz="0.01")"
         << R"( ixy="0" ixz="0" iyz="0"/></inertial>)";
  };
  const auto joint = [&](int index, const char* type, double x,
                         const std::string& rpy, const char* axis) {
    urdf << "<joint name=\"j" << index << "\" type=\"" << type
         << "\"><parent link=\"l" << index - 1 << "\"/><child link=\"l" << index
         << "\"/><origin xyz=\"" << x << " 0 0.3"
         << "\" rpy=\"" << rpy << "\"/><axis xyz=\"" << axis
         << "\"/><limit lower=\"-9\" upper=\"9\" effort=\"9\" "
            "velocity=\"9\"/></joint>";
  };
  urdf << R"(<robot name="arm"><link name="l0"/>)";
  for (int index = 1; index <= 3; ++index) {
    urdf << "<link name=\"l" << index << "\">";
    inertial();
    urdf << "</link>";
  }
  joint(1, "revolute", base, "0 0 0", "0 0 1");
  joint(2, "revolute", 0.4, turn + " 0 0", "0 0 1");
  joint(3, "prismatic", 0.3, "0 0 0", "1 0 0");
  urdf << "</robot>";
  return LoadModel(urdf.str());
}

const std::string kHalfTurn = "3.1415926535897931";
const std::string kTypedHalfTurn = "3.1415926536";  // by 1e-11 too much

VectorXd At(double slide = 0) { return Eigen::Vector3d(0.3, -0.7, slide); }

const VectorXd kRest = VectorXd::Zero(3);

TEST(RankDecision, ATaskThatCannotMoveHasRankZeroAndNoInertia) {
  // The origin of the link cannot move along its z: what stands in that row is
  // round-off.
  const auto model = ShippedModel("panda");
  VectorXd q = VectorXd::Zero(model->nv()), v = VectorXd::Ones(model->nv());
  q.head(7) << 0.1, -0.4, 0.2, -1.8, 0.3, 1.6, 0.5;
  Robot::Options options = TaskOf("panda_link3", {kLinearZ});
  Robot robot(model, options);
  const auto result = robot.OperationalSpace(q, v);
  EXPECT_EQ(result.diagnostics.rank, 0);
  EXPECT_EQ(result.diagnostics.rule, TaskRule::kRangeRestricted);
  EXPECT_EQ(result.lambda(0, 0), 0);
  EXPECT_EQ(result.eta[0], 0);
  EXPECT_LT(result.diagnostics.sigma_min, 1e-15);
  EXPECT_THAT(robot.last_error(), HasSubstr("cannot move"));

  options.task.singularity = SingularityRule::kDamped;
  options.task.damping = 0.1;
  Robot damped(model, options);
  const auto bounded = damped.OperationalSpace(q, v);
  EXPECT_EQ(bounded.diagnostics.rank, 0);
  EXPECT_EQ(bounded.diagnostics.rule, TaskRule::kDamped);
  EXPECT_NEAR(bounded.lambda(0, 0), 100, 1e-12);
}

TEST(RankDecision, RowsThatAreZeroHaveRankZero) {
  // Of the base, and of a link of which no joint moves the origin.
  for (const char* link : {"l0", "l1"}) {
    Robot robot(Arm(kHalfTurn), TaskOf(link, {kLinearZ, kLinearX}));
    const auto result = robot.OperationalSpace(At(), kRest);
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
  const auto result = robot.OperationalSpace(At(), kRest);
  EXPECT_EQ(result.diagnostics.rank, 0);
  EXPECT_EQ(result.lambda(0, 0), 0);
  EXPECT_THAT(robot.last_error(), HasSubstr("cannot move"));

  options.task.rank_tolerance = 1e-12;
  Robot meant(Arm(kTypedHalfTurn), options);
  const auto exact = meant.OperationalSpace(At(), kRest);
  EXPECT_EQ(exact.diagnostics.rule, TaskRule::kFullRank);
  const MatrixXd J = robot.Jacobian(At()).row(1);
  const MatrixXd W = J * robot.MassMatrix(At()).inverse() * J.transpose();
  EXPECT_NEAR(exact.lambda(0, 0) * W(0, 0), 1, 1e-12);

  // With all its digits the same angle leaves round-off.
  Robot straight(Arm(kHalfTurn), options);
  EXPECT_EQ(straight.OperationalSpace(At(), kRest).diagnostics.rank, 0);
}

TEST(RankDecision, WhatCountsIsAShareOfTheNormOfTheWholeJacobian) {
  constexpr double kLength = 0.3;
  for (const int dof : {2, 3, 6, 9}) {
    const RandomRobotOptions robots = {
        .shape = RandomRobotOptions::Shape::kChain, .dof = dof};
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      InEveryFrame(seed, robots, seed,
                   [&](Robot& robot, const State& s, ReferenceFrame) {
                     MatrixXd J = robot.Jacobian(s.q);
                     J.bottomRows(3) /= kLength;
                     MatrixXd rows(3, dof);
                     rows << J.row(4), J.row(0), J.row(3);
                     const VectorXd sigma =
                         Eigen::JacobiSVD<MatrixXd>(rows).singularValues();
                     for (int k = 0; k < sigma.size(); ++k) {
                       for (const double factor : {0.999, 1.001}) {
                         Robot::Options options = robot.options();
                         options.task.axes = {4, 0, 3};
                         options.task.axis_count = 3;
                         options.task.characteristic_length = kLength;
                         options.task.rank_tolerance =
                             factor * sigma[k] / J.norm();
                         const auto shared = std::shared_ptr<const Model>(
                             std::shared_ptr<void>(), &robot.model());
                         EXPECT_EQ(Robot(shared, options)
                                       .OperationalSpace(s.q, s.v)
                                       .diagnostics.rank,
                                   factor > 1 ? k : k + 1);
                       }
                     }
                   });
    }
  }
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
          const auto expected = beside.OperationalSpace(At(0.1), kRest);
          const auto found = away.OperationalSpace(At(0.1), kRest);
          const std::string name = std::string(link) + ", axis " +
                                   std::to_string(axis) + ", " +
                                   std::to_string(base) + " m";
          EXPECT_EQ(found.diagnostics.rank, expected.diagnostics.rank) << name;
          EXPECT_EQ(found.diagnostics.rule, expected.diagnostics.rule) << name;
        }
      }
    }
  }
}

TEST(RankDecision, ASlidingJointAloneMovesItsTask) {
  // At no reach at all, along the base's axes.
  const auto model = LoadModel(
      "<robot name=\"r\"><link name=\"a\"/><link name=\"b\"><inertial><mass "
      "value=\"2\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" "
      "ixz=\"0\" iyz=\"0\"/></inertial></link><joint name=\"j\" "
      "type=\"prismatic\"><parent link=\"a\"/><child link=\"b\"/><axis "
      "xyz=\"1 0 0\"/><limit lower=\"-1\" upper=\"1\" effort=\"1\" "
      "velocity=\"1\"/></joint></robot>");
  for (const double at : {0.0, 1e-12, 0.5, 1e9}) {
    Robot robot(model, TaskOf("b", {kLinearX}));
    const auto result =
        robot.OperationalSpace(VectorXd::Constant(1, at), VectorXd::Zero(1));
    EXPECT_EQ(result.diagnostics.rank, 1) << at;
    EXPECT_EQ(robot.last_error(), "") << at;
    EXPECT_EQ(result.lambda(0, 0), 2) << at;
  }
}

TEST(RankDecision, AFrameWithoutReachTurns) {
  // On the one axis that there is, at the base's origin.
  const auto model = LoadModel(
      "<robot name=\"r\"><link name=\"a\"/><link name=\"b\"><inertial><mass "
      "value=\"2\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"4\" ixy=\"0\" "
      "ixz=\"0\" iyz=\"0\"/></inertial></link><joint name=\"j\" "
      "type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/><axis "
      "xyz=\"0 0 1\"/></joint></robot>");
  Robot robot(model, TaskOf("b", {kAngularZ, kLinearX}));
  const auto result =
      robot.OperationalSpace(VectorXd::Zero(1), VectorXd::Zero(1));
  EXPECT_EQ(result.diagnostics.rank, 1);
  EXPECT_NEAR(result.lambda(0, 0), 4, 1e-12);
  EXPECT_EQ(result.lambda(1, 1), 0);
}

TEST(RankDecision, AFullTaskStaysAsItWas) {
  Robot robot(ShippedModel("ur5e"));
  VectorXd q(6);
  q << 0.1, -1.2, 1.5, -0.4, 0.7, 0.3;
  const auto result = robot.OperationalSpace(q, VectorXd::Ones(6));
  EXPECT_EQ(result.diagnostics.rank, 6);
  EXPECT_EQ(robot.last_error(), "");
}

}  // namespace
}  // namespace torqued::testing_support

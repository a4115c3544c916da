// Poses, Jacobians and drifts against finite differences.
#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "core/batch/robot.h"
#include "tests/core/dynamics/every_frame.h"
#include "tests/support/compare.h"
#include "tests/support/load_model.h"
#include "tests/support/random_robot.h"

namespace torqued::testing_support {
namespace {

using Eigen::Matrix3d;
using Eigen::Matrix4d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

// Central differences of step h err by h² and by ε / h: about 1e-10.
constexpr double kStep = 1e-5;
constexpr double kTolerance = 1e-8;

Vector3d Unskew(const Matrix3d& s) {
  return 0.5 *
         Vector3d(s(2, 1) - s(1, 2), s(0, 2) - s(2, 0), s(1, 0) - s(0, 1));
}

/// The frame's twist for dT/dt at pose T, in the given reference frame.
VectorXd TwistOf(const Matrix4d& T, const Matrix4d& rate,
                 ReferenceFrame frame) {
  const Matrix3d R = T.topLeftCorner<3, 3>();
  const Vector3d omega = Unskew(rate.topLeftCorner<3, 3>() * R.transpose());
  const Vector3d velocity = rate.topRightCorner<3, 1>();
  const Vector3d p = T.topRightCorner<3, 1>();
  VectorXd twist(6);
  switch (frame) {
    case ReferenceFrame::kLocal:
      twist << R.transpose() * omega, R.transpose() * velocity;
      break;
    case ReferenceFrame::kLocalWorldAligned:
      twist << omega, velocity;
      break;
    case ReferenceFrame::kWorld:
      twist << omega, velocity - omega.cross(p);
      break;
  }
  return twist;
}

template <class Check>
void ForRandomRobots(const Check& check) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    InEveryFrame(seed + 300, {.dof = 1 + static_cast<int>(seed % 10)}, seed,
                 check);
  }
}

TEST(Kinematics, JacobianIsTheDerivativeOfThePose) {
  ForRandomRobots([](Robot& robot, const State& s, ReferenceFrame frame) {
    const int n = robot.model().nv();
    const MatrixXd J = robot.Jacobian(s.q);
    const Matrix4d T = robot.FramePose(s.q);
    for (int j = 0; j < n; ++j) {
      const VectorXd dq = kStep * VectorXd::Unit(n, j);
      const Matrix4d rate =
          (robot.FramePose(s.q + dq) - robot.FramePose(s.q - dq)) / (2 * kStep);
      EXPECT_LT((J.col(j) - TwistOf(T, rate, frame)).norm(), kTolerance);
    }
  });
}

TEST(Kinematics, DriftIsTheDerivativeOfTheJacobianTimesTheVelocity) {
  ForRandomRobots([](Robot& robot, const State& s, ReferenceFrame) {
    const MatrixXd rate = (robot.Jacobian(s.q + kStep * s.v) -
                           robot.Jacobian(s.q - kStep * s.v)) /
                          (2 * kStep);
    const VectorXd expected = rate * s.v;
    EXPECT_LT((robot.JacobianDrift(s.q, s.v) - expected).norm(),
              kTolerance * std::max(1.0, expected.norm()) * 10);
  });
}

TEST(Kinematics, DriftOfARobotAtRestIsZero) {
  ForRandomRobots([](Robot& robot, const State& s, ReferenceFrame) {
    EXPECT_EQ(robot.JacobianDrift(s.q, VectorXd::Zero(s.v.size())).norm(), 0);
  });
}

TEST(Kinematics, PosesAreRigid) {
  ForRandomRobots([](Robot& robot, const State& s, ReferenceFrame) {
    const Matrix3d R = robot.FramePose(s.q).topLeftCorner<3, 3>();
    EXPECT_LT((R.transpose() * R - Matrix3d::Identity()).norm(), 1e-14);
    EXPECT_GT(R.determinant(), 0);
  });
}

TEST(Kinematics, JointsThatDoNotCarryTheFrameHaveZeroColumns) {
  const auto robot = MakeRandomRobot(9, {.dof = 10});
  const auto model = LoadModel(robot.urdf, robot.tip);
  ASSERT_NE(model, nullptr);
  Random random(1);
  const State state = MakeRandomState(*model, random);
  const int body =
      model->frames()[static_cast<std::size_t>(*model->tip_frame())]
          .placement.body;
  std::vector<bool> carries(10, false);
  for (int j = body; j != kBase; j = model->tree().bodies[j].parent) {
    carries[static_cast<std::size_t>(j)] = true;
  }
  const MatrixXd J = Robot(model).Jacobian(state.q);
  int idle = 0;
  for (int j = 0; j < 10; ++j) {
    const bool zero = J.col(j).norm() == 0;
    EXPECT_EQ(zero, !carries[static_cast<std::size_t>(j)]) << j;
    idle += zero ? 1 : 0;
  }
  EXPECT_GT(idle, 0) << "the tree should branch";
}

}  // namespace
}  // namespace torqued::testing_support

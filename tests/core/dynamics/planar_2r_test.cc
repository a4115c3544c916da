// The planar 2R arm with point masses against its closed form (Lynch & Park
// 2017, section 8.1.1), from the description that we ship.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "core/batch/robot.h"
#include "tests/support/compare.h"
#include "tests/support/load_model.h"
#include "tests/support/random_robot.h"

namespace torqued {
namespace {

using Eigen::Matrix2d;
using Eigen::Vector2d;
using Eigen::VectorXd;

constexpr double kL1 = 0.5, kL2 = 0.4, kM1 = 2, kM2 = 1.5, kG = 9.81;

class Planar2R : public testing::Test {
 protected:
  Planar2R()
      : model_(testing_support::LoadModel(testing_support::ReadFile(
            std::string(TORQUED_MODELS) + "/planar_2r.urdf"))) {
    options_.terms.gravity = {0, -kG, 0};
  }

  std::shared_ptr<const Model> model_;
  Robot::Options options_;
  testing_support::Random random_{11};
};

TEST_F(Planar2R, TorquesEqualTheClosedForm) {
  Robot robot(model_, options_);
  for (int k = 0; k < 100; ++k) {
    const Vector2d q = random_.Vector(2, -3, 3), v = random_.Vector(2, -4, 4),
                   a = random_.Vector(2, -9, 9);
    const double c1 = std::cos(q[0]), c2 = std::cos(q[1]), s2 = std::sin(q[1]),
                 c12 = std::cos(q[0] + q[1]);
    Vector2d tau;
    tau[0] =
        ((kM1 + kM2) * kL1 * kL1 + kM2 * (2 * kL1 * kL2 * c2 + kL2 * kL2)) *
            a[0] +
        kM2 * (kL1 * kL2 * c2 + kL2 * kL2) * a[1] -
        kM2 * kL1 * kL2 * s2 * (2 * v[0] * v[1] + v[1] * v[1]) +
        (kM1 + kM2) * kG * kL1 * c1 + kM2 * kG * kL2 * c12;
    tau[1] = kM2 * (kL1 * kL2 * c2 + kL2 * kL2) * a[0] +
             kM2 * kL2 * kL2 * a[1] + kM2 * kL1 * kL2 * s2 * v[0] * v[0] +
             kM2 * kG * kL2 * c12;
    EXPECT_LT((robot.InverseDynamics(q, v, a) - tau).norm(), 1e-12);
    EXPECT_LT((robot.ForwardDynamics(q, v, tau) - a).norm(), 1e-11);
    const double det = kM2 * kL1 * kL1 * kL2 * kL2 * (kM1 + kM2 * s2 * s2);
    EXPECT_NEAR(robot.MassMatrix(q).determinant(), det, 1e-13);
  }
}

TEST_F(Planar2R, TaskInertiaOfThePositionIsTheClosedForm) {
  options_.task.axes = {3, 4};
  options_.task.axis_count = 2;
  options_.reference_frame = ReferenceFrame::kLocalWorldAligned;
  Robot robot(model_, options_);
  for (int k = 0; k < 100; ++k) {
    Vector2d q = random_.Vector(2, -3, 3);
    q[1] = std::copysign(0.3 + 0.8 * std::abs(q[1]), q[1]);
    const Vector2d v = random_.Vector(2, -2, 2);
    const double s1 = std::sin(q[0]), c1 = std::cos(q[0]),
                 s12 = std::sin(q[0] + q[1]), c12 = std::cos(q[0] + q[1]);
    Matrix2d J, Jdot;
    J << -kL1 * s1 - kL2 * s12, -kL2 * s12, kL1 * c1 + kL2 * c12, kL2 * c12;
    const double w = v[0] + v[1];
    Jdot << -kL1 * c1 * v[0] - kL2 * c12 * w, -kL2 * c12 * w,
        -kL1 * s1 * v[0] - kL2 * s12 * w, -kL2 * s12 * w;
    const Matrix2d M = robot.MassMatrix(q);
    const Matrix2d Ji = J.inverse();
    const Matrix2d lambda = Ji.transpose() * M * Ji;
    const Vector2d eta =
        Ji.transpose() * robot.BiasForces(q, v) - lambda * Jdot * v;
    const auto result = robot.OperationalSpace(q, v);
    EXPECT_EQ(result.diagnostics.rank, 2);
    EXPECT_EQ(result.diagnostics.rule, TaskRule::kFullRank);
    EXPECT_LT((result.lambda - lambda).norm(), 1e-10 * lambda.norm());
    EXPECT_LT((result.eta - eta).norm(), 1e-10 * lambda.norm());
  }
}

TEST_F(Planar2R, StretchedArmHasNoInertiaAlongItself) {
  options_.task.axes = {3, 4};
  options_.task.axis_count = 2;
  options_.reference_frame = ReferenceFrame::kLocalWorldAligned;
  const Vector2d q(0, 0), v(0.5, 0.5);
  Robot reporting(model_, options_);
  const auto report = reporting.OperationalSpace(q, v);
  EXPECT_EQ(report.diagnostics.rank, 1);
  EXPECT_EQ(report.diagnostics.rule, TaskRule::kRangeRestricted);
  EXPECT_NEAR(report.diagnostics.sigma_min, 0, 1e-15);
  EXPECT_NE(reporting.last_error(), "");
  // Only y can move; both joints together feel 1 / (J M⁻¹ Jᵀ)_yy.
  const Matrix2d M = reporting.MassMatrix(q);
  const Vector2d jy(kL1 + kL2, kL2);
  const double mobility = jy.dot(M.inverse() * jy);
  Matrix2d expected = Matrix2d::Zero();
  expected(1, 1) = 1 / mobility;
  EXPECT_LT((report.lambda - expected).norm(), 1e-12 / mobility);

  const double mu = 0.1;
  options_.task.singularity = SingularityRule::kDamped;
  options_.task.damping = mu;
  Robot damping(model_, options_);
  const auto damped = damping.OperationalSpace(q, v);
  EXPECT_EQ(damped.diagnostics.rule, TaskRule::kDamped);
  expected(0, 0) = 1 / (mu * mu);
  expected(1, 1) = 1 / (mobility + mu * mu);
  EXPECT_LT((damped.lambda - expected).norm(), 1e-12 * expected.norm());
}

}  // namespace
}  // namespace torqued

// The planar 2R arm with point masses against its closed form (Lynch & Park
// 2017, section 8.1.1), from the description that we ship.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <array>
#include <cmath>

#include "core/batch/robot.h"
#include "core/lanes/targets.h"
#include "tests/core/dynamics/robots.h"
#include "tests/support/compare.h"
#include "tests/support/load_model.h"
#include "tests/support/planar_2r.h"
#include "tests/support/random_robot.h"

namespace torqued {
namespace {

using Eigen::Matrix2d;
using Eigen::Vector2d;
using Eigen::VectorXd;

namespace planar = testing_support::planar_2r;
using planar::kG, planar::kL1, planar::kL2, planar::kM1, planar::kM2;

class Planar2R : public testing::Test {
 protected:
  Planar2R()
      : model_(testing_support::LoadModel(
            testing_support::ReadFile(TORQUED_MODELS "/planar_2r.urdf"))) {
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
    const Vector2d tau = planar::Torques(q, v, a);
    EXPECT_LT((robot.InverseDynamics(q, v, a) - tau).norm(), 1e-12);
    EXPECT_LT((robot.ForwardDynamics(q, v, tau) - a).norm(), 1e-11);
    const double s2 = std::sin(q[1]);
    const double det = kM2 * kL1 * kL1 * kL2 * kL2 * (kM1 + kM2 * s2 * s2);
    EXPECT_NEAR(robot.MassMatrix(q).determinant(), det, 1e-13);
  }
}

TEST_F(Planar2R, MassesMoveAsTheClosedForm) {
  // The first mass stands where the second joint does.
  for (int k = 0; k < 100; ++k) {
    const Vector2d q = random_.Vector(2, -3, 3), v = random_.Vector(2, -4, 4);
    const auto check = [&](const char* frame, const Vector2d& position,
                           const Vector2d& velocity) {
      options_.tip_frame = frame;
      options_.reference_frame = ReferenceFrame::kLocalWorldAligned;
      Robot robot(model_, options_);
      EXPECT_LT((robot.FramePose(q).col(3).head<2>() - position).norm(), 1e-14);
      const VectorXd twist = robot.Jacobian(q) * v;
      EXPECT_LT((twist.segment<2>(3) - velocity).norm(), 1e-13);
    };
    check("link2", planar::Position1(q), planar::Velocity1(q, v));
    check("tip", planar::Position2(q), planar::Velocity2(q, v));
  }
}

TEST_F(Planar2R, EnergiesAndLagrangianEqualTheClosedForm) {
  testing_support::Setting arm{"planar", model_, {}, {}};
  arm.options.terms = options_.terms;
  for (int k = 0; k < 100; ++k) {
    const Vector2d q = random_.Vector(2, -3, 3), v = random_.Vector(2, -4, 4);
    arm[Input::kQ] = q;
    arm[Input::kV] = v;
    const auto is =
        testing_support::Ask(arm, {Quantity::kEnergy}, BestTarget());
    const double K = is[Output::kKineticEnergy][0],
                 P = is[Output::kPotentialEnergy][0];
    const double K_closed = planar::Kinetic1(v) + planar::Kinetic2(q, v);
    const double P_closed = planar::Potential1(q) + planar::Potential2(q);
    EXPECT_NEAR(K, K_closed, 1e-13 * K_closed);
    EXPECT_NEAR(P, P_closed, 1e-13);
    EXPECT_NEAR(K - P, K_closed - P_closed, 1e-12);
    EXPECT_NEAR(planar::Kinetic1(v) + planar::Kinetic2(q, v),
                0.5 * kM1 * planar::Velocity1(q, v).squaredNorm() +
                    0.5 * kM2 * planar::Velocity2(q, v).squaredNorm(),
                1e-12);
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

/// The joint angles at which the tip is at x: elbow on one side, and on the
/// other.
std::array<Vector2d, 2> AnglesAt(const Vector2d& x) {
  const double c2 = (x.squaredNorm() - kL1 * kL1 - kL2 * kL2) / (2 * kL1 * kL2);
  std::array<Vector2d, 2> solutions;
  for (int side = 0; side < 2; ++side) {
    const double q2 = side == 0 ? std::acos(c2) : -std::acos(c2);
    solutions[side] = {
        std::atan2(x.y(), x.x()) -
            std::atan2(kL2 * std::sin(q2), kL1 + kL2 * std::cos(q2)),
        q2};
  }
  return solutions;
}

TEST_F(Planar2R, TaskInertiaAndBiasAtAPositionDependOnTheElbow) {
  // Λ(x) and η(x, ẋ) are functions of the configuration that reaches x, of
  // which there are two.
  options_.task.axes = {3, 4};
  options_.task.axis_count = 2;
  options_.reference_frame = ReferenceFrame::kLocalWorldAligned;
  Robot robot(model_, options_);
  const Vector2d x(0.45, 0.5), x_rate(0.3, -0.8);
  std::array<Matrix2d, 2> lambda;
  std::array<Vector2d, 2> eta;
  const auto solutions = AnglesAt(x);
  for (int side = 0; side < 2; ++side) {
    const Vector2d& q = solutions[side];
    EXPECT_LT((robot.FramePose(q).col(3).head<2>() - x).norm(), 1e-14);
    const Matrix2d J = robot.Jacobian(q).middleRows(3, 2);
    const Vector2d v = J.inverse() * x_rate;
    const auto result = robot.OperationalSpace(q, v);
    lambda[side] = result.lambda;
    eta[side] = result.eta;
    // With the kinetic energy of the same tip velocity.
    EXPECT_NEAR(0.5 * x_rate.dot(result.lambda * x_rate),
                planar::Kinetic1(v) + planar::Kinetic2(q, v), 1e-13);
  }
  EXPECT_GT((lambda[0] - lambda[1]).norm(), 0.1);
  EXPECT_GT((eta[0] - eta[1]).norm(), 0.1);
}

TEST_F(Planar2R, StretchedArmHasNoInertiaAlongItself) {
  options_.sigma_min = true;
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

// The planar arm with point masses against its closed form (Lynch & Park
// 2017, section 8.1.1), from the description that we ship.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <array>
#include <cmath>

#include "core/engine/evaluation_plan.h"
#include "core/engine/robot.h"
#include "tests/core/dynamics/robots.h"
#include "tests/support/load_model.h"
#include "tests/support/planar_2r.h"
#include "tests/support/random_robot.h"

namespace torqued {
namespace {

using Eigen::Matrix2d;
using Eigen::Vector2d;

namespace planar = testing_support::planar_2r;
using planar::kL1, planar::kL2;

class Planar2R : public testing::Test {
 protected:
  Planar2R() {
    options_.terms.gravity = {0, -planar::kG, 0};
    options_.reference_frame = ReferenceFrame::kLocalWorldAligned;
    options_.task.axes = {3, 4};  // the position in the plane
    options_.task.axis_count = 2;
  }

  Robot robot() const { return Robot(model_, options_); }

  /// Calls check(q, v, a).
  template <class Check>
  static void ForStates(const Check& check) {
    testing_support::Random random(11);
    for (int k = 0; k < 100; ++k) {
      const Vector2d q = random.Vector(2, -3, 3), v = random.Vector(2, -4, 4);
      check(q, v, Vector2d(random.Vector(2, -9, 9)));
    }
  }

  static double Kinetic(const Vector2d& q, const Vector2d& v) {
    return planar::Kinetic1(v) + planar::Kinetic2(q, v);
  }

  std::shared_ptr<const Model> model_ =
      testing_support::ShippedModel("planar_2r");
  Robot::Options options_;
};

TEST_F(Planar2R, TorquesEqualTheClosedForm) {
  Robot arm = robot();
  ForStates([&](const Vector2d& q, const Vector2d& v, const Vector2d& a) {
    const Vector2d tau = planar::Torques(q, v, a);
    EXPECT_LT((arm.InverseDynamics(q, v, a) - tau).norm(), 1e-12);
    EXPECT_LT((arm.ForwardDynamics(q, v, tau) - a).norm(), 1e-11);
    EXPECT_LT((arm.MassMatrix(q) - planar::MassMatrix(q)).norm(), 1e-13);
  });
}

TEST_F(Planar2R, MassesMoveAsTheClosedForm) {
  const auto check = [](Robot& arm, const Vector2d& q, const Vector2d& v,
                        const Vector2d& position, const Vector2d& velocity) {
    EXPECT_LT((arm.FramePose(q).col(3).head<2>() - position).norm(), 1e-14);
    const Eigen::VectorXd twist = arm.Jacobian(q) * v;
    EXPECT_LT((twist.segment<2>(3) - velocity).norm(), 1e-13);
  };
  Robot tip = robot();
  // The first mass stands where the second joint does.
  options_.tip_frame = "link2";
  Robot elbow = robot();
  ForStates([&](const Vector2d& q, const Vector2d& v, const Vector2d&) {
    check(elbow, q, v, planar::Position1(q), planar::Velocity1(q, v));
    check(tip, q, v, planar::Position2(q), planar::Velocity2(q, v));
  });
}

TEST_F(Planar2R, EnergiesAndLagrangianEqualTheClosedForm) {
  testing_support::Setting arm{"planar", model_};
  arm.options.terms = options_.terms;
  ForStates([&](const Vector2d& q, const Vector2d& v, const Vector2d&) {
    arm[Input::kQ] = q;
    arm[Input::kV] = v;
    const auto is =
        testing_support::Ask(arm, {Quantity::kEnergy}, BestTarget());
    const double K = is[Output::kKineticEnergy][0],
                 P = is[Output::kPotentialEnergy][0];
    const double K_closed = Kinetic(q, v);
    const double P_closed = planar::Potential1(q) + planar::Potential2(q);
    EXPECT_NEAR(K, K_closed, 1e-13 * K_closed);
    EXPECT_NEAR(P, P_closed, 1e-13);
    EXPECT_NEAR(K - P, K_closed - P_closed, 1e-12);
  });
}

TEST_F(Planar2R, TaskInertiaOfThePositionIsTheClosedForm) {
  // Λ = J⁻ᵀ M J⁻¹ and η = J⁻ᵀ h − Λ J̇ v.
  Robot arm = robot();
  ForStates([&](Vector2d q, const Vector2d& twice, const Vector2d&) {
    q[1] = std::copysign(0.3 + 0.8 * std::abs(q[1]), q[1]);
    const Vector2d v = twice / 2;
    Matrix2d J;
    J << planar::Velocity2(q, {1, 0}), planar::Velocity2(q, {0, 1});
    const Vector2d elbow = planar::Position1(q);
    const double w = v[0] + v[1];
    const Vector2d drift =
        -v[0] * v[0] * elbow - w * w * (planar::Position2(q) - elbow);
    const Matrix2d Ji = J.inverse();
    const Matrix2d lambda = Ji.transpose() * planar::MassMatrix(q) * Ji;
    const Vector2d eta = Ji.transpose() * planar::Bias(q, v) - lambda * drift;
    const auto result = arm.OperationalSpace(q, v);
    EXPECT_EQ(result.diagnostics.rank, 2);
    EXPECT_EQ(result.diagnostics.rule, TaskRule::kFullRank);
    EXPECT_LT((result.lambda - lambda).norm(), 1e-10 * lambda.norm());
    EXPECT_LT((result.eta - eta).norm(), 1e-10 * lambda.norm());
  });
}

TEST_F(Planar2R, TaskInertiaAndBiasAtAPositionDependOnTheElbow) {
  // Λ(x) and η(x, ẋ) are functions of the configuration that reaches x, of
  // which there are two.
  Robot arm = robot();
  const Vector2d x(0.45, 0.5), x_rate(0.3, -0.8);
  std::array<Robot::OperationalSpaceResult, 2> results;
  const double c2 = (x.squaredNorm() - kL1 * kL1 - kL2 * kL2) / (2 * kL1 * kL2);
  for (const int side : {0, 1}) {
    const double q2 = side == 0 ? std::acos(c2) : -std::acos(c2);
    const Vector2d q(
        std::atan2(x.y(), x.x()) -
            std::atan2(kL2 * std::sin(q2), kL1 + kL2 * std::cos(q2)),
        q2);
    EXPECT_LT((arm.FramePose(q).col(3).head<2>() - x).norm(), 1e-14);
    const Matrix2d J = arm.Jacobian(q).middleRows(3, 2);
    const Vector2d v = J.inverse() * x_rate;
    results[side] = arm.OperationalSpace(q, v);
    // With the kinetic energy of the same tip velocity.
    EXPECT_NEAR(x_rate.dot(results[side].lambda * x_rate) / 2, Kinetic(q, v),
                1e-13);
  }
  EXPECT_GT((results[0].lambda - results[1].lambda).norm(), 0.1);
  EXPECT_GT((results[0].eta - results[1].eta).norm(), 0.1);
}

}  // namespace
}  // namespace torqued

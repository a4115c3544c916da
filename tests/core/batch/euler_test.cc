// Motions by explicit Euler integration.
#include "core/teaching/euler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <limits>
#include <utility>

#include "tests/core/lanes/batch_case.h"
#include "tests/support/load_model.h"
#include "tests/support/planar_2r.h"

namespace torqued {
namespace {

namespace planar = testing_support::planar_2r;
using Eigen::Vector2d;
using Eigen::VectorXd;
using testing::HasSubstr;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kMass = 2, kG = 9.81, kViscous = 3, kCoulomb = 0.5;

/// A particle on a vertical line, upwards.
Robot Particle(const Terms& terms = {}) {
  JointDescription line = testing_support::Turning({0, 0, 1});
  line.type = JointKind::kPrismatic;
  line.damping = kViscous;
  line.friction = kCoulomb;
  Robot::Options options;
  options.terms = terms;
  return Robot(
      testing_support::MakeTree({line}, {Link("", kMass, {}, {0, 0, 0})}),
      options);
}

VectorXd One(double x) { return VectorXd::Constant(1, x); }

Robot Planar() {
  Robot::Options options;
  options.terms.gravity = {0, -kG, 0};
  options.reference_frame = ReferenceFrame::kLocalWorldAligned;
  return Robot(testing_support::ShippedModel("planar_2r"), options);
}

TEST(Euler, ParticleOnAVerticalLineFallsAsTheSumsSay) {
  // f = m ẍ + m g; with a constant f the old rates add up to
  // x_k = x_0 + k δ v_0 + a δ² k (k − 1) / 2.
  Robot robot = Particle();
  const double f = 7, a = f / kMass - kG, v0 = 3;
  const int steps = 64;
  const double delta = 2.0 / steps;
  const Motion motion = IntegrateEuler(robot, One(0), One(v0), 2, steps,
                                       {.tau = [&](double) { return One(f); }});
  EXPECT_FALSE(motion.error);
  ASSERT_EQ(motion.q.rows(), steps + 1);
  EXPECT_EQ(motion.a.rows(), steps);
  for (int k = 0; k <= steps; ++k) {
    EXPECT_EQ(motion.t[k], k * delta);
    EXPECT_NEAR(motion.v(k, 0), v0 + a * k * delta, 1e-13);
    EXPECT_NEAR(motion.q(k, 0),
                k * delta * v0 + a * delta * delta * k * (k - 1) / 2, 1e-13);
  }
}

TEST(Euler, FrictionFollowsTheTermsOfTheRobot) {
  Robot viscous = Particle({.gravity = {{0, 0, 0}}, .viscous_friction = true});
  Robot coulomb = Particle({.gravity = {{0, 0, 0}}, .coulomb_friction = true});
  const double delta = 0.01;
  const Motion slowed = IntegrateEuler(viscous, One(0), One(2), 1, 100);
  const Motion braked = IntegrateEuler(coulomb, One(0), One(2), 1, 100);
  for (int k = 0; k <= 100; ++k) {
    EXPECT_NEAR(slowed.v(k, 0), 2 * std::pow(1 - delta * kViscous / kMass, k),
                1e-13);
    EXPECT_NEAR(braked.v(k, 0), 2 - delta * k * kCoulomb / kMass, 1e-13);
  }
}

TEST(EulerStep, GoesAlongTheRate) {
  // ẋ = t − x.
  const RateOfState rate = [](double t, const VectorXd& x) -> VectorXd {
    return VectorXd::Constant(1, t) - x;
  };
  EXPECT_DOUBLE_EQ(EulerStep(rate, 2, One(5), 0.1)[0], 5 + 0.1 * (2 - 5));
}

TEST(Euler, IsTheGeneralStepOfTheClosedFormInFirstOrderForm) {
  // x = (q, q̇), ẋ = (q̇, M⁻¹ (τ(t) + J_xᵀ 5 t − h)): the tip pushes the
  // environment along −x of the base by 5 t.
  Robot robot = Planar();
  const ActingForces forces = {
      .tau = [](double t) -> VectorXd { return Vector2d(15, 3 * t); },
      .tip_wrench = [](double t) -> VectorXd {
        return VectorXd::Unit(6, 3) * (-5 * t);
      }};
  const RateOfState rate = [&](double t, const VectorXd& x) {
    const Vector2d q = x.head(2), v = x.tail(2);
    const Vector2d push(planar::Velocity2(q, {1, 0}).x() * 5 * t,
                        planar::Velocity2(q, {0, 1}).x() * 5 * t);
    VectorXd x_rate(4);
    x_rate << v, planar::MassMatrix(q).inverse() *
                     (Vector2d(forces.tau(t)) + push - planar::Bias(q, v));
    return x_rate;
  };
  const Vector2d q(0.4, -0.7), v(1, 2);
  const Motion motion = IntegrateEuler(robot, q, v, 1, 200, forces);
  ASSERT_EQ(motion.q.rows(), 201);
  VectorXd x(4);
  x << q, v;
  for (int k = 0; k <= 200; ++k) {
    EXPECT_LT((motion.q.row(k).transpose() - x.head(2)).norm(), 1e-10) << k;
    EXPECT_LT((motion.v.row(k).transpose() - x.tail(2)).norm(), 1e-10) << k;
    x = EulerStep(rate, k / 200.0, x, 1 / 200.0);
  }
}

/// The error of a motion, which ends with as many states.
MotionError ErrorOf(const Motion& motion, int states) {
  EXPECT_EQ(motion.q.rows(), states);
  EXPECT_TRUE(motion.q.allFinite());
  return motion.error.value_or(MotionError{.field = "none", .message = {}});
}

TEST(EulerErrors, ArgumentsAreNamed) {
  Robot robot = Particle();
  const VectorXd zero = One(0);
  const std::pair<const char*, Motion> cases[] = {
      {"steps", IntegrateEuler(robot, zero, zero, 1, 0)},
      {"duration", IntegrateEuler(robot, zero, zero, 0, 1)},
      {"duration", IntegrateEuler(robot, zero, zero, kNaN, 1)},
      {"q", IntegrateEuler(robot, Vector2d(0, 0), zero, 1, 1)},
      {"v", IntegrateEuler(robot, zero, One(kNaN), 1, 1)}};
  for (const auto& [field, motion] : cases) {
    EXPECT_EQ(ErrorOf(motion, 0).field, field);
    EXPECT_EQ(ErrorOf(motion, 0).step, -1);
  }
}

TEST(EulerErrors, ForcesThatCannotBeUsedNameTheirStep) {
  Robot robot = Particle();
  const Motion late = IntegrateEuler(
      robot, One(0), One(0), 1, 10,
      {.tau = [](double t) { return One(t < 0.45 ? 1 : kNaN); }});
  EXPECT_EQ(ErrorOf(late, 6).step, 5);
  EXPECT_EQ(ErrorOf(late, 6).field, "tau");
  EXPECT_EQ(late.a.rows(), 5);
  const MotionError wide =
      ErrorOf(IntegrateEuler(
                  robot, One(0), One(0), 1, 3,
                  {.tau = [](double) -> VectorXd { return Vector2d(0, 0); }}),
              1);
  EXPECT_EQ(wide.step, 0);
  EXPECT_THAT(wide.message, HasSubstr("2 numbers instead of 1"));
  const Motion wrench =
      IntegrateEuler(robot, One(0), One(0), 1, 3,
                     {.tip_wrench = [](double) { return One(1); }});
  EXPECT_EQ(ErrorOf(wrench, 1).field, "tip_wrench");
}

TEST(EulerErrors, MotionStopsWhereItOverflows) {
  Robot robot = Particle();
  const Motion motion = IntegrateEuler(robot, One(0), One(1e308), 40, 10);
  EXPECT_EQ(ErrorOf(motion, 1).field, "q");
  EXPECT_EQ(ErrorOf(motion, 1).step, 0);
  EXPECT_EQ(motion.a.rows(), 1);
  const Motion later = IntegrateEuler(robot, One(0), One(5e307), 10, 10);
  EXPECT_EQ(ErrorOf(later, 4).step, 3);
}

}  // namespace
}  // namespace torqued

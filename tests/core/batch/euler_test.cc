// Motions by explicit Euler integration.
#include "core/teaching/euler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <limits>

#include "tests/support/load_model.h"
#include "tests/support/planar_2r.h"

namespace torqued {
namespace {

namespace planar = testing_support::planar_2r;
using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::VectorXd;
using testing::HasSubstr;
using testing_support::LoadModel;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kMass = 2, kG = 9.81, kViscous = 3, kCoulomb = 0.5;

/// A particle on a vertical line, upwards.
Robot Particle(const Terms& terms = {}) {
  Robot::Options options;
  options.terms = terms;
  return Robot(LoadModel(R"(<robot name="particle"><link name="base"/>
    <joint name="line" type="prismatic"><parent link="base"/>
      <child link="particle"/><axis xyz="0 0 1"/>
      <limit lower="-9" upper="9" effort="9" velocity="9"/>
      <dynamics damping="3" friction="0.5"/></joint>
    <link name="particle"><inertial><mass value="2"/>
      <inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial>
    </link></robot>)"),
               options);
}

VectorXd One(double x) { return VectorXd::Constant(1, x); }

Robot Planar() {
  Robot::Options options;
  options.terms.gravity = {0, -kG, 0};
  options.reference_frame = ReferenceFrame::kLocalWorldAligned;
  return Robot(testing_support::ShippedModel("planar_2r"), options);
}

TEST(Euler, UniformMotionIsExact) {
  Robot robot = Particle({.gravity = {{0, 0, 0}}});
  const Motion motion = IntegrateEuler(robot, One(0.25), One(0.5), 3, 12);
  EXPECT_FALSE(motion.error);
  ASSERT_EQ(motion.q.rows(), 13);
  ASSERT_EQ(motion.a.rows(), 12);
  for (int k = 0; k <= 12; ++k) {
    EXPECT_EQ(motion.t[k], 0.25 * k);
    EXPECT_EQ(motion.q(k, 0), 0.25 + 0.5 * motion.t[k]);
    EXPECT_EQ(motion.v(k, 0), 0.5);
  }
}

TEST(Euler, ParticleOnAVerticalLineFallsAsTheSumsSay) {
  // f = m ẍ + m g; with a constant f the old rates add up to
  // x_k = x_0 + k δ v_0 + a δ² k (k − 1) / 2.
  Robot robot = Particle();
  const double f = 7, a = f / kMass - kG, v0 = 3;
  const int steps = 50;
  const double delta = 2.0 / steps;
  const Motion motion = IntegrateEuler(robot, One(0), One(v0), 2, steps,
                                       {.tau = [&](double) { return One(f); }});
  EXPECT_FALSE(motion.error);
  for (int k = 0; k <= steps; ++k) {
    EXPECT_NEAR(motion.v(k, 0), v0 + a * k * delta, 1e-13);
    EXPECT_NEAR(motion.q(k, 0),
                k * delta * v0 + a * delta * delta * k * (k - 1) / 2, 1e-13);
  }
}

TEST(Euler, TorquesAndWrenchesActAtTheTimeOfTheirStep) {
  Robot robot = Particle();
  // The tip pushes down on the environment by 5 t.
  const auto tau = [](double t) { return One(10 * t * t); };
  const auto push = [](double t) -> VectorXd {
    return VectorXd::Unit(6, 5) * (-5 * t);
  };
  MatrixXd tau_of_step(4, 1), push_of_step(4, 6);
  for (int k = 0; k < 4; ++k) {
    tau_of_step.row(k) = tau(0.25 * k);
    push_of_step.row(k) = push(0.25 * k);
  }
  for (const Motion& motion :
       {IntegrateEuler(robot, One(0), One(0), 1, 4,
                       {.tau = tau, .tip_wrench = push}),
        IntegrateEuler(robot, One(0), One(0), 1, tau_of_step, push_of_step)}) {
    EXPECT_FALSE(motion.error);
    double v = 0;
    for (int k = 0; k < 4; ++k) {
      const double t = 0.25 * k, a = (10 * t * t + 5 * t) / kMass - kG;
      EXPECT_NEAR(motion.a(k, 0), a, 1e-14);
      EXPECT_NEAR(motion.v(k, 0), v, 1e-14);
      v += 0.25 * a;
    }
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
  VectorXd x(4);
  x << 0.4, -0.7, 1, 2;
  const Motion motion =
      IntegrateEuler(robot, x.head(2), x.tail(2), 1, 200, forces);
  ASSERT_EQ(motion.q.rows(), 201);
  for (int k = 0; k <= 200; ++k) {
    EXPECT_LT((motion.q.row(k).transpose() - x.head(2)).norm(), 1e-10) << k;
    EXPECT_LT((motion.v.row(k).transpose() - x.tail(2)).norm(), 1e-10) << k;
    x = EulerStep(rate, k / 200.0, x, 1 / 200.0);
  }
}

TEST(Euler, EnergyDriftIsOfFirstOrderInTheStep) {
  Robot robot = Planar();
  const Vector2d q(0.4, -0.7), v(1, 2);
  const auto drift = [&](int steps) {
    const Motion motion = IntegrateEuler(robot, q, v, 0.5, steps);
    EXPECT_FALSE(motion.error);
    return planar::Energy(motion.q.row(steps), motion.v.row(steps)) -
           planar::Energy(q, v);
  };
  const double coarse = drift(2000), middle = drift(4000), fine = drift(8000);
  EXPECT_GT(std::abs(fine), 1e-6);
  EXPECT_NEAR(coarse / middle, 2, 0.02);
  EXPECT_NEAR(middle / fine, 2, 0.01);
}

/// The error of a motion, which ends with as many states.
MotionError ErrorOf(const Motion& motion, int states) {
  EXPECT_EQ(motion.q.rows(), states);
  EXPECT_TRUE(motion.q.allFinite());
  return motion.error.value_or(MotionError{.field = "none", .message = {}});
}

TEST(EulerErrors, ArgumentsAreNamed) {
  Robot robot = Particle();
  const auto field = [](const Motion& motion) {
    const MotionError error = ErrorOf(motion, 0);
    EXPECT_EQ(error.step, -1);
    return error.field;
  };
  const VectorXd zero = One(0);
  EXPECT_EQ(field(IntegrateEuler(robot, zero, zero, 1, 0)), "steps");
  EXPECT_EQ(field(IntegrateEuler(robot, zero, zero, 0, 1)), "duration");
  EXPECT_EQ(field(IntegrateEuler(robot, zero, zero, kNaN, 1)), "duration");
  EXPECT_EQ(field(IntegrateEuler(robot, Vector2d(0, 0), zero, 1, 1)), "q");
  EXPECT_EQ(field(IntegrateEuler(robot, zero, One(kNaN), 1, 1)), "v");
  EXPECT_EQ(field(IntegrateEuler(robot, zero, zero, 1, MatrixXd(0, 1))),
            "steps");
  EXPECT_EQ(field(IntegrateEuler(robot, zero, zero, 1, MatrixXd::Zero(3, 1),
                                 MatrixXd::Zero(2, 6))),
            "tip_wrench");
}

TEST(EulerErrors, ForcesThatCannotBeUsedNameTheirStep) {
  Robot robot = Particle();
  const Motion late = IntegrateEuler(
      robot, One(0), One(0), 1, 10,
      {.tau = [](double t) { return One(t < 0.45 ? 1 : kNaN); }});
  EXPECT_EQ(ErrorOf(late, 6).step, 5);
  EXPECT_EQ(ErrorOf(late, 6).field, "tau");
  EXPECT_EQ(late.a.rows(), 5);
  const MotionError wide = ErrorOf(
      IntegrateEuler(robot, One(0), One(0), 1, MatrixXd::Zero(3, 2)), 1);
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

// Motions by explicit Euler integration.
#include "core/batch/euler.h"

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
std::shared_ptr<const Model> Particle() {
  return LoadModel(R"(<robot name="particle"><link name="base"/>
    <joint name="line" type="prismatic"><parent link="base"/>
      <child link="particle"/><axis xyz="0 0 1"/>
      <limit lower="-9" upper="9" effort="9" velocity="9"/>
      <dynamics damping="3" friction="0.5"/></joint>
    <link name="particle"><inertial><mass value="2"/>
      <inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial>
    </link></robot>)");
}

VectorXd One(double x) { return VectorXd::Constant(1, x); }

Robot Planar() {
  Robot::Options options;
  options.terms.gravity = {0, -kG, 0};
  return Robot(testing_support::ShippedModel("planar_2r"), options);
}

TEST(Euler, UniformMotionIsExact) {
  Robot::Options options;
  options.terms.gravity = {0, 0, 0};
  Robot robot(Particle(), options);
  const Motion motion = IntegrateEuler(robot, One(0.25), One(0.5), 3, 12);
  EXPECT_FALSE(motion.error);
  ASSERT_EQ(motion.q.rows(), 13);
  ASSERT_EQ(motion.v.rows(), 13);
  ASSERT_EQ(motion.a.rows(), 12);
  EXPECT_EQ(motion.t[0], 0);
  EXPECT_EQ(motion.t[12], 3);
  for (int k = 0; k <= 12; ++k) {
    EXPECT_EQ(motion.t[k], 0.25 * k);
    EXPECT_EQ(motion.q(k, 0), 0.25 + 0.5 * motion.t[k]);
    EXPECT_EQ(motion.v(k, 0), 0.5);
  }
}

TEST(Euler, ParticleOnAVerticalLineFallsAsTheSumsSay) {
  // f = m ẍ + m g; with a constant f the old rates add up to
  // x_k = x_0 + k δ v_0 + a δ² k (k − 1) / 2.
  Robot robot(Particle());
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
  Robot robot(Particle());
  // The tip pushes down on the environment by 5 t.
  const auto push = [](double t) {
    VectorXd wrench = VectorXd::Zero(6);
    wrench[5] = -5 * t;
    return wrench;
  };
  const Motion motion = IntegrateEuler(
      robot, One(0), One(0), 1, 4,
      {.tau = [](double t) { return One(10 * t * t); }, .tip_wrench = push});
  EXPECT_FALSE(motion.error);
  double v = 0;
  for (int k = 0; k < 4; ++k) {
    const double t = 0.25 * k, a = (10 * t * t + 5 * t) / kMass - kG;
    EXPECT_NEAR(motion.a(k, 0), a, 1e-14);
    EXPECT_NEAR(motion.v(k, 0), v, 1e-14);
    v += 0.25 * a;
  }
}

TEST(Euler, ArraysPerStepAreFunctionsOfTime) {
  Robot robot = Planar();
  const int steps = 30;
  const double delta = 0.6 / steps;
  MatrixXd tau(steps, 2), wrench(steps, 6);
  const auto tau_at = [](double t) -> VectorXd {
    return Vector2d(20 * std::cos(t), 4 * t);
  };
  const auto wrench_at = [](double t) -> VectorXd {
    return VectorXd::LinSpaced(6, 0, t);
  };
  for (int k = 0; k < steps; ++k) {
    tau.row(k) = tau_at(k * delta);
    wrench.row(k) = wrench_at(k * delta);
  }
  const Vector2d q(0.3, 0.4), v(1, -1);
  const Motion by_time = IntegrateEuler(
      robot, q, v, 0.6, steps, {.tau = tau_at, .tip_wrench = wrench_at});
  const Motion by_row = IntegrateEuler(robot, q, v, 0.6, tau, wrench);
  EXPECT_FALSE(by_time.error);
  EXPECT_EQ(by_time.q, by_row.q);
  EXPECT_EQ(by_time.v, by_row.v);
  const Motion without = IntegrateEuler(robot, q, v, 0.6, tau);
  EXPECT_GT((by_time.q - without.q).norm(), 1e-3);
}

TEST(Euler, FrictionFollowsTheTermsOfTheRobot) {
  Robot::Options options;
  options.terms.gravity = {0, 0, 0};
  options.terms.viscous_friction = true;
  Robot viscous(Particle(), options);
  const double delta = 0.01;
  Motion motion = IntegrateEuler(viscous, One(0), One(2), 1, 100);
  for (int k = 0; k <= 100; ++k) {
    EXPECT_NEAR(motion.v(k, 0), 2 * std::pow(1 - delta * kViscous / kMass, k),
                1e-13);
  }
  options.terms = {.gravity = {{0, 0, 0}}, .coulomb_friction = true};
  Robot coulomb(Particle(), options);
  motion = IntegrateEuler(coulomb, One(0), One(2), 1, 100);
  for (int k = 0; k <= 100; ++k) {
    EXPECT_NEAR(motion.v(k, 0), 2 - delta * k * kCoulomb / kMass, 1e-13);
  }
}

TEST(Euler, PlanarArmMovesByItsClosedForm) {
  Robot robot = Planar();
  const auto tau = [](double t) -> VectorXd { return Vector2d(15, 3 * t); };
  const int steps = 200;
  const double delta = 1.0 / steps;
  Vector2d q(0.4, -0.7), v(1, 2);
  const Motion motion = IntegrateEuler(robot, q, v, 1, steps, {.tau = tau});
  ASSERT_EQ(motion.q.rows(), steps + 1);
  for (int k = 0; k < steps; ++k) {
    EXPECT_LT((motion.q.row(k).transpose() - q).norm(), 1e-10) << k;
    EXPECT_LT((motion.v.row(k).transpose() - v).norm(), 1e-10) << k;
    const Vector2d a = planar::MassMatrix(q).inverse() *
                       (Vector2d(tau(k * delta)) - planar::Bias(q, v));
    q += delta * v;
    v += delta * a;
  }
  EXPECT_LT((motion.q.row(steps).transpose() - q).norm(), 1e-10);
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

TEST(Euler, IsTheGeneralStepOfTheEquationsInFirstOrderForm) {
  // x = (q, q̇), ẋ = (q̇, FD(q, q̇, τ(t), F(t))).
  Robot robot = Planar();
  const ActingForces forces = {
      .tau = [](double t) -> VectorXd { return Vector2d(15, 3 * t); },
      .tip_wrench = [](double t) -> VectorXd {
        return VectorXd::LinSpaced(6, 0, t);
      }};
  const RateOfState rate = [&](double t, const VectorXd& x) {
    VectorXd x_rate(4);
    x_rate << x.tail(2),
        robot.ForwardDynamics(x.head(2), x.tail(2), forces.tau(t),
                              forces.tip_wrench(t));
    return x_rate;
  };
  VectorXd x(4);
  x << 0.4, -0.7, 1, 2;
  const Motion motion =
      IntegrateEuler(robot, x.head(2), x.tail(2), 1, 64, forces);
  for (int k = 0; k < 64; ++k) x = EulerStep(rate, k / 64.0, x, 1 / 64.0);
  EXPECT_LT((motion.q.row(64).transpose() - x.head(2)).norm(), 1e-13);
  EXPECT_LT((motion.v.row(64).transpose() - x.tail(2)).norm(), 1e-13);
}

TEST(EulerStep, GoesAlongTheRate) {
  // ẋ = t − x.
  const RateOfState rate = [](double t, const VectorXd& x) -> VectorXd {
    return VectorXd::Constant(1, t) - x;
  };
  EXPECT_DOUBLE_EQ(EulerStep(rate, 2, One(5), 0.1)[0], 5 + 0.1 * (2 - 5));
}

TEST(EulerErrors, ArgumentsAreNamed) {
  Robot robot(Particle());
  const auto field = [](const Motion& motion) {
    EXPECT_EQ(motion.q.rows(), 0);
    if (!motion.error) return std::string("none");
    EXPECT_EQ(motion.error->step, -1);
    return motion.error->field;
  };
  EXPECT_EQ(field(IntegrateEuler(robot, One(0), One(0), 1, 0)), "steps");
  EXPECT_EQ(field(IntegrateEuler(robot, One(0), One(0), 0, 1)), "duration");
  EXPECT_EQ(field(IntegrateEuler(robot, One(0), One(0), kNaN, 1)), "duration");
  EXPECT_EQ(field(IntegrateEuler(robot, Vector2d(0, 0), One(0), 1, 1)), "q");
  EXPECT_EQ(field(IntegrateEuler(robot, One(0), One(kNaN), 1, 1)), "v");
  EXPECT_EQ(field(IntegrateEuler(robot, One(0), One(0), 1, MatrixXd(0, 1))),
            "steps");
  EXPECT_EQ(field(IntegrateEuler(robot, One(0), One(0), 1, MatrixXd::Zero(3, 1),
                                 MatrixXd::Zero(2, 6))),
            "tip_wrench");
}

TEST(EulerErrors, ForcesThatCannotBeUsedNameTheirStep) {
  Robot robot(Particle());
  const Motion late = IntegrateEuler(
      robot, One(0), One(0), 1, 10,
      {.tau = [](double t) { return One(t < 0.45 ? 1 : kNaN); }});
  ASSERT_TRUE(late.error);
  EXPECT_EQ(late.error->step, 5);
  EXPECT_EQ(late.error->field, "tau");
  EXPECT_EQ(late.q.rows(), 6);
  EXPECT_EQ(late.a.rows(), 5);
  EXPECT_TRUE(late.q.allFinite());
  const Motion wide =
      IntegrateEuler(robot, One(0), One(0), 1, MatrixXd::Zero(3, 2));
  ASSERT_TRUE(wide.error);
  EXPECT_EQ(wide.error->step, 0);
  EXPECT_THAT(wide.error->message, HasSubstr("2 numbers instead of 1"));
  const Motion wrench =
      IntegrateEuler(robot, One(0), One(0), 1, 3,
                     {.tip_wrench = [](double) { return One(1); }});
  ASSERT_TRUE(wrench.error);
  EXPECT_EQ(wrench.error->field, "tip_wrench");
}

TEST(EulerErrors, MotionStopsWhereItOverflows) {
  Robot robot(Particle());
  const Motion motion = IntegrateEuler(robot, One(0), One(1e308), 40, 10);
  ASSERT_TRUE(motion.error);
  EXPECT_EQ(motion.error->field, "q");
  EXPECT_EQ(motion.error->step, 0);
  EXPECT_EQ(motion.q.rows(), 1);
  EXPECT_EQ(motion.a.rows(), 1);
  const Motion later = IntegrateEuler(robot, One(0), One(5e307), 10, 10);
  ASSERT_TRUE(later.error);
  EXPECT_EQ(later.error->step, 3);
  EXPECT_EQ(later.q.rows(), 4);
  EXPECT_TRUE(later.q.allFinite());
}

}  // namespace
}  // namespace torqued

// Laws of the verdict on whole trajectories.
#include "core/trajectory/trajectory_check.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "core/batch/robot.h"
#include "core/model/variants.h"
#include "tests/core/trajectory/sampled_motion.h"
#include "tests/support/compare.h"
#include "tests/support/load_model.h"
#include "tests/support/random_robot.h"

namespace torqued {
namespace {

using testing_support::LargestErrors;
using testing_support::LoadModel;
using testing_support::MakeMotion;
using testing_support::MakeRandomRobot;
using testing_support::RandomRobotOptions;
using testing_support::SampledMotion;
using testing_support::ShippedModel;
using testing_support::VerdictOn;

std::shared_ptr<const Model> RustyArm(std::uint64_t seed, int dof = 4) {
  const auto robot =
      MakeRandomRobot(seed, {.shape = RandomRobotOptions::Shape::kChain,
                             .dof = dof,
                             .friction = true});
  return LoadModel(robot.urdf, robot.tip);
}

TrajectoryOptions WithFriction() {
  TrajectoryOptions options;
  options.evaluation.terms.viscous_friction = true;
  options.evaluation.terms.coulomb_friction = true;
  return options;
}

Robot::Options Taking(const Terms& terms) {
  Robot::Options options;
  options.terms = terms;
  return options;
}

/// Every joint may give `share` of the most that the motion asks of it, and
/// anything else.
TrajectoryOptions Limited(const std::shared_ptr<const Model>& model,
                          const SampledMotion& motion,
                          TrajectoryOptions options, double share) {
  JointBounds wide;
  wide.lower = -100;
  wide.upper = 100;
  wide.velocity = 1e6;
  wide.effort = 1e9;
  options.bounds.assign(model->joints().size(), wide);
  const TrajectoryVerdict verdict = VerdictOn(model, motion, options);
  for (std::size_t j = 0; j < options.bounds.size(); ++j) {
    options.bounds[j].effort = share * std::abs(verdict.joints[j].torque.value);
  }
  return options;
}

TEST(TrajectoryCheck, TorquesAreThoseOfInverseDynamics) {
  for (const bool wrench : {false, true}) {
    const auto model = RustyArm(3);
    // More than are computed at a time.
    const SampledMotion motion = MakeMotion(*model, 9000, 5, wrench);
    const TrajectoryOptions options = WithFriction();
    SampleTable tau(9000, 4);
    VerdictOn(model, motion, options, {.tau = tau.data()});
    Robot robot(model, Taking(options.evaluation.terms));
    for (Eigen::Index row = 0; row < 9000; row += 7) {
      const Eigen::VectorXd q = motion.q.row(row), v = motion.v.row(row),
                            a = motion.a.row(row);
      const Eigen::VectorXd expected =
          wrench ? robot.InverseDynamics(
                       q, v, a, Eigen::VectorXd(motion.wrench.row(row)))
                 : robot.InverseDynamics(q, v, a);
      EXPECT_EQ(Eigen::VectorXd(tau.row(row)), expected) << row;
    }
  }
}

TEST(TrajectoryCheck, PathDynamicsGiveTheTorquesOfEveryPace) {
  LargestErrors errors;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto model = RustyArm(seed);
    const SampledMotion motion = MakeMotion(*model, 20, seed, true);
    const TrajectoryOptions options = WithFriction();
    SampleTable a(20, 4), b(20, 4), c(20, 4), d(20, 4), e(20, 4);
    VerdictOn(model, motion, options,
              {.a = a.data(),
               .b = b.data(),
               .c = c.data(),
               .d = d.data(),
               .e = e.data()});
    Robot robot(model, Taking(options.evaluation.terms));
    for (Eigen::Index row = 0; row < 20; ++row) {
      for (const auto& [rate, push] :
           {std::pair{0.4, 1.5}, std::pair{2.0, -3.0}, std::pair{1.0, 0.0}}) {
        const Eigen::VectorXd q = motion.q.row(row);
        const Eigen::VectorXd v = rate * motion.v.row(row);
        const Eigen::VectorXd accelerations =
            rate * rate * motion.a.row(row) + push * motion.v.row(row);
        const Eigen::VectorXd expected = robot.InverseDynamics(
            q, v, accelerations, Eigen::VectorXd(motion.wrench.row(row)));
        const Eigen::VectorXd tau = push * a.row(row) +
                                    rate * rate * b.row(row) + c.row(row) +
                                    rate * d.row(row) + e.row(row);
        const std::string where = std::to_string(seed);
        errors.Add("tau", tau, expected, where);
        errors.Add("tau, twin without friction",
                   (tau - rate * Eigen::VectorXd(d.row(row))).eval(), expected,
                   where);
      }
    }
  }
  errors.ExpectBelow("tau", 1e-12);
  errors.ExpectAbove("tau, twin without friction", 1e-6);
}

void ExpectPassesSlowedDownAndNoFaster(const TrajectoryOptions& base) {
  int slowed = 0;
  for (std::uint64_t seed = 1; seed <= 80; ++seed) {
    const auto model = RustyArm(seed);
    const SampledMotion motion = MakeMotion(*model, 400, seed);
    TrajectoryOptions options = Limited(model, motion, base, 0.95);
    options.bounds[1].velocity = 0.6 * motion.v.col(1).cwiseAbs().maxCoeff();
    const TrajectoryVerdict verdict = VerdictOn(model, motion, options);
    EXPECT_FALSE(verdict.passes);
    if (!verdict.slow_down.possible) continue;
    ++slowed;
    const double factor = verdict.slow_down.factor;
    EXPECT_TRUE(
        VerdictOn(model, motion.Slower(factor * (1 + 1e-9)), options).passes)
        << seed;
    EXPECT_FALSE(
        VerdictOn(model, motion.Slower(factor * (1 - 1e-4)), options).passes)
        << seed;
  }
  EXPECT_GE(slowed, 10);
}

TEST(TrajectoryCheck, SlowedDownItPassesAndAnyFasterItFails) {
  ExpectPassesSlowedDownAndNoFaster(WithFriction());
}

TEST(TrajectoryCheck, SpedUpItPassesAndAnyFasterItFails) {
  int sped_up = 0;
  for (std::uint64_t seed = 1; seed <= 80; ++seed) {
    const auto model = RustyArm(seed);
    const SampledMotion motion = MakeMotion(*model, 400, seed);
    const TrajectoryOptions options =
        Limited(model, motion, WithFriction(), 1.5);
    const TrajectoryVerdict verdict = VerdictOn(model, motion, options);
    EXPECT_TRUE(verdict.passes);
    EXPECT_EQ(verdict.slow_down.factor, 1);
    const double fastest = verdict.slow_down.fastest;
    ASSERT_TRUE(std::isfinite(fastest)) << seed;
    EXPECT_GE(fastest, 1);
    EXPECT_GE(verdict.slow_down.fastest_limited_by.row, 0);
    if (fastest > 1.01) ++sped_up;
    EXPECT_TRUE(
        VerdictOn(model, motion.Slower((1 + 1e-9) / fastest), options).passes)
        << seed;
    EXPECT_FALSE(
        VerdictOn(model, motion.Slower((1 - 1e-4) / fastest), options).passes)
        << seed;
  }
  EXPECT_GE(sped_up, 60);
}

TEST(TrajectoryCheck, SlowedDownFrictionIsThatOfTheSlowerSpeed) {
  for (const double smoothing : {0.05, 1.0}) {
    TrajectoryOptions options = WithFriction();
    options.evaluation.terms.coulomb_smoothing = smoothing;
    ExpectPassesSlowedDownAndNoFaster(options);
  }
}

TEST(TrajectoryCheck, AStepTakesFewerSamplesOfARobotWithManyJoints) {
  for (const auto& [dof, step] : {std::pair{4, 8192}, std::pair{100, 655}}) {
    const auto model = RustyArm(3, dof);
    const SampledMotion motion = MakeMotion(*model, 9000, 3);
    Engine engine({.threads = 1});
    auto created = TrajectoryCheck::Create(model, motion.View(), {});
    auto& check = std::get<TrajectoryCheck>(created);
    // All samples are looked at in as small steps before one is checked.
    for (int looked_at = 0; looked_at < 9000; looked_at += step) {
      EXPECT_FALSE(check.Advance(engine, CheckThreads::kTheCaller));
      EXPECT_EQ(check.done(), 0);
    }
    EXPECT_FALSE(check.Advance(engine, CheckThreads::kTheCaller));
    EXPECT_EQ(check.done(), step);
  }
}

TEST(TrajectoryCheck, AStepTakesFewerSamplesWhereEachTakesLong) {
  const auto model = RustyArm(3, 100);
  const SampledMotion motion = MakeMotion(*model, 1000, 3);
  Engine engine({.threads = 1});
  for (const bool path_inertia : {false, true}) {
    TrajectoryOptions options;
    options.path_inertia = path_inertia;
    auto created = TrajectoryCheck::Create(model, motion.View(), options);
    auto& check = std::get<TrajectoryCheck>(created);
    while (check.done() == 0) {
      ASSERT_FALSE(check.Advance(engine, CheckThreads::kTheCaller));
    }
    if (path_inertia) {
      EXPECT_LT(check.done(), 300);
    } else {
      EXPECT_EQ(check.done(), 655);
    }
  }
}

// All of them may be singular, which shows only when they are computed.
TEST(TrajectoryCheck, AStepTakesFewerSamplesWhereTheTaskIsLookedAt) {
  const auto model = RustyArm(3, 7);
  const SampledMotion motion = MakeMotion(*model, 9000, 3);
  Engine engine({.threads = 1});
  TrajectoryOptions options;
  options.path_inertia = true;
  auto created = TrajectoryCheck::Create(model, motion.View(), options);
  auto& check = std::get<TrajectoryCheck>(created);
  while (check.done() == 0) {
    ASSERT_FALSE(check.Advance(engine, CheckThreads::kTheCaller));
  }
  EXPECT_LT(check.done(), 5000);
}

TEST(TrajectoryCheck, ACancelledStepChecksNothing) {
  const auto model = RustyArm(3, 250);
  const SampledMotion motion = MakeMotion(*model, 4, 3);
  Engine engine({.threads = 1});
  TrajectoryOptions options;
  options.path_inertia = true;
  auto created = TrajectoryCheck::Create(model, motion.View(), options);
  auto& check = std::get<TrajectoryCheck>(created);
  const auto token = std::make_shared<CancellationToken>();
  // The first one looks at the samples.
  EXPECT_FALSE(check.Advance(engine, CheckThreads::kTheCaller, token));
  token->Cancel();
  EXPECT_FALSE(check.Advance(engine, CheckThreads::kTheCaller, token));
  EXPECT_EQ(check.done(), 0);
  EXPECT_FALSE(check.Advance(engine, CheckThreads::kTheCaller));
  EXPECT_GT(check.done(), 0);
}

TEST(TrajectoryCheck, DerivedRatesAreNotLookedAtBefore) {
  const auto model = RustyArm(3);
  SampledMotion motion = MakeMotion(*model, 9000, 3);
  Trajectory trajectory = motion.View();
  trajectory.spline = SplineMethod::kQuintic;
  Engine engine({.threads = 1});
  auto created = TrajectoryCheck::Create(model, trajectory, {});
  auto& check = std::get<TrajectoryCheck>(created);
  EXPECT_FALSE(check.Advance(engine, CheckThreads::kTheCaller));
  EXPECT_GT(check.done(), 0);
}

TEST(TrajectoryCheck, TheLargestPayloadPassesAndMoreFails) {
  for (const bool carries : {false, true}) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      const auto model = RustyArm(seed);
      const SampledMotion motion = MakeMotion(*model, 300, seed);
      TrajectoryOptions options = Limited(model, motion, WithFriction(), 1.3);
      LinkInertial shape;
      shape.mass = 1;
      if (carries) {
        // Of two kilograms.
        shape.mass = 2;
        shape.origin.p = {0.1, 0, -0.05};
        shape.inertia = {0.02, 0, 0, 0.03, 0, 0.04};
        options.evaluation.payload = PayloadOptions{{}, shape};
      }
      const TrajectoryVerdict verdict = VerdictOn(model, motion, options);
      ASSERT_TRUE(verdict.payload_looked_at);
      ASSERT_TRUE(verdict.payload);
      EXPECT_EQ(verdict.payload->least, 0);
      const double most = verdict.payload->most;
      ASSERT_TRUE(std::isfinite(most));
      EXPECT_GE(verdict.payload->limited_by.row, 0);
      const auto passes_with = [&](double mass) {
        LinkInertial load = shape;
        const double share = mass / shape.mass;
        load.mass = mass;
        for (double& entry : load.inertia) entry *= share;
        options.evaluation.payload = PayloadOptions{{}, load};
        return VerdictOn(model, motion, options).passes;
      };
      EXPECT_TRUE(passes_with(most * (1 - 1e-9))) << seed;
      EXPECT_FALSE(passes_with(most * (1 + 1e-6))) << seed;
    }
  }
}

TEST(TrajectoryCheck, ViolationsAreWhereTorquesAreOverTheLimit) {
  const auto model = RustyArm(7);
  const SampledMotion motion = MakeMotion(*model, 500, 7);
  const TrajectoryOptions options = Limited(model, motion, WithFriction(), 0.8);
  SampleTable tau(500, 4);
  const TrajectoryVerdict verdict =
      VerdictOn(model, motion, options, {.tau = tau.data()});
  EXPECT_FALSE(verdict.passes);
  Eigen::Matrix<bool, Eigen::Dynamic, Eigen::Dynamic> listed =
      Eigen::Matrix<bool, Eigen::Dynamic, Eigen::Dynamic>::Constant(500, 4,
                                                                    false);
  double last_severity = std::numeric_limits<double>::infinity();
  std::int64_t first_row = 500;
  for (const LimitViolation& violation : verdict.violations.gravest) {
    EXPECT_EQ(violation.kind, LimitKind::kTorque);
    EXPECT_LE(violation.severity, last_severity);
    last_severity = violation.severity;
    first_row = std::min(first_row, violation.first_row);
    EXPECT_EQ(violation.value, tau(violation.worst_row, violation.joint));
    EXPECT_DOUBLE_EQ(violation.severity,
                     std::abs(violation.value) / violation.limit);
    for (auto row = violation.first_row; row <= violation.last_row; ++row) {
      listed(row, violation.joint) = true;
    }
  }
  for (int j = 0; j < 4; ++j) {
    const double limit = *options.bounds[static_cast<std::size_t>(j)].effort;
    for (Eigen::Index row = 0; row < 500; ++row) {
      EXPECT_EQ(listed(row, j), std::abs(tau(row, j)) > limit)
          << row << ", " << j;
    }
    const auto& demand = verdict.joints[static_cast<std::size_t>(j)];
    EXPECT_NEAR(demand.torque_use.value, 1.25, 1e-12);
    EXPECT_EQ(demand.torque.row, demand.torque_use.row);
    EXPECT_LT(*demand.rms_torque_use, 1.25);
  }
  ASSERT_TRUE(verdict.violations.first);
  EXPECT_EQ(verdict.violations.first->first_row, first_row);
}

TEST(TrajectoryCheck, VelocitiesAndPositionsAreLookedAt) {
  const auto model = RustyArm(2);
  const SampledMotion motion = MakeMotion(*model, 300, 2);
  TrajectoryOptions options = Limited(model, motion, {}, 2);
  EXPECT_TRUE(VerdictOn(model, motion, options).passes);
  const double fastest = motion.v.col(2).cwiseAbs().maxCoeff();
  options.bounds[2].velocity = fastest / 2;
  const double lowest = motion.q.col(0).minCoeff();
  options.bounds[0].lower = lowest + 0.1;
  options.bounds[0].upper = lowest + 1.1;
  const TrajectoryVerdict verdict = VerdictOn(model, motion, options);
  double velocity = 0, position = 0;
  for (const LimitViolation& violation : verdict.violations.gravest) {
    if (violation.kind == LimitKind::kVelocity) {
      EXPECT_EQ(violation.joint, 2);
      velocity = std::max(velocity, violation.severity);
    } else {
      EXPECT_EQ(violation.kind, LimitKind::kPosition);
      EXPECT_EQ(violation.joint, 0);
      if (violation.value < violation.limit) {
        position = std::max(position, violation.severity);
      }
    }
  }
  EXPECT_NEAR(velocity, 2, 1e-12);
  EXPECT_NEAR(position, 1.1, 1e-12);
}

TEST(TrajectoryCheck, WhatDrivesGiveIsTheChangeOfEnergy) {
  const auto model = RustyArm(5);
  const SampledMotion motion = MakeMotion(*model, 20'000, 5);
  TrajectoryOptions options;
  const TrajectoryVerdict verdict = VerdictOn(model, motion, options);
  const auto energy = [&](Eigen::Index row) {
    EvaluationOptions wanted;
    wanted.quantities = {Quantity::kEnergy};
    EvaluationInputs inputs;
    inputs.q = {motion.q.row(row).data(), NumberType::kF64, 1, 4};
    inputs.v = {motion.v.row(row).data(), NumberType::kF64, 1, 4};
    const auto plan =
        std::get<EvaluationPlan>(EvaluationPlan::Create(model, wanted, inputs));
    double kinetic = 0, potential = 0;
    EvaluationOutputs outputs;
    outputs[Output::kKineticEnergy] = {&kinetic, NumberType::kF64};
    outputs[Output::kPotentialEnergy] = {&potential, NumberType::kF64};
    Engine engine;
    engine.Evaluate(plan, outputs);
    return kinetic + potential;
  };
  const double change = energy(19'999) - energy(0);
  EXPECT_GT(verdict.energy_taken, 0);
  EXPECT_NEAR(verdict.energy_given - verdict.energy_taken, change,
              1e-6 * verdict.energy_given);
  // Dry friction only takes.
  const TrajectoryVerdict rusty = VerdictOn(model, motion, WithFriction());
  EXPECT_GT(rusty.energy_given - rusty.energy_taken, change * (1 + 1e-3));
}

TEST(TrajectoryCheck, TheOrderOfTheJointsIsTheCallers) {
  const auto model = RustyArm(9);
  const SampledMotion motion = MakeMotion(*model, 100, 9);
  const TrajectoryOptions options = Limited(model, motion, WithFriction(), 0.9);
  TrajectoryOptions turned = options;
  SampledMotion other = motion;
  for (int k = 0; k < 4; ++k) {
    const int j = 3 - k;
    turned.evaluation.joint_names.push_back(
        model->joints()[static_cast<std::size_t>(j)].name);
    turned.bounds[static_cast<std::size_t>(k)] =
        options.bounds[static_cast<std::size_t>(j)];
    other.q.col(k) = motion.q.col(j);
    other.v.col(k) = motion.v.col(j);
    other.a.col(k) = motion.a.col(j);
  }
  const TrajectoryVerdict expected = VerdictOn(model, motion, options);
  const TrajectoryVerdict verdict = VerdictOn(model, other, turned);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(verdict.joints[k].torque.value,
              expected.joints[3 - k].torque.value);
    EXPECT_EQ(verdict.joints[k].rms_torque, expected.joints[3 - k].rms_torque);
  }
  ASSERT_EQ(verdict.violations.count, expected.violations.count);
  EXPECT_EQ(verdict.violations.gravest[0].joint,
            3 - expected.violations.gravest[0].joint);
  EXPECT_EQ(verdict.payload.has_value(), expected.payload.has_value());
  EXPECT_EQ(verdict.slow_down.possible, expected.slow_down.possible);
  // With room for a payload.
  for (int k = 0; k < 4; ++k) {
    *turned.bounds[static_cast<std::size_t>(k)].effort *= 2;
  }
  TrajectoryOptions wider = options;
  for (JointBounds& bounds : wider.bounds) *bounds.effort *= 2;
  const auto carried = VerdictOn(model, other, turned).payload;
  const auto expected_carried = VerdictOn(model, motion, wider).payload;
  ASSERT_TRUE(carried && expected_carried);
  EXPECT_EQ(carried->most, expected_carried->most);
  EXPECT_EQ(carried->limited_by.joint, 3 - expected_carried->limited_by.joint);
  // The limits of the model, too.
  turned.bounds.clear();
  const TrajectoryVerdict own = VerdictOn(model, other, turned);
  for (std::size_t k = 0; k < 4; ++k) {
    const JointLimits& limits = model->joints()[3 - k].limits;
    EXPECT_EQ(own.limits[k].lower,
              limits.lower.value_or(-std::numeric_limits<double>::infinity()));
    EXPECT_EQ(own.limits[k].upper,
              limits.upper.value_or(std::numeric_limits<double>::infinity()));
    EXPECT_EQ(own.limits[k].torque.At(1),
              limits.effort.value_or(std::numeric_limits<double>::infinity()));
  }
}

TEST(TrajectoryCheck, DrivesOfTheOptionsTakeThePlaceOfTheModels) {
  const auto model = RustyArm(11);
  const SampledMotion motion = MakeMotion(*model, 50, 11);
  TrajectoryOptions options = WithFriction();
  SampleTable own(50, 4), other(50, 4);
  VerdictOn(model, motion, options, {.tau = own.data()});
  options.drives.resize(4);
  options.drives[2] = {
      .viscous_friction = 1.5, .coulomb_friction = 0.7, .armature = 0.3};
  VerdictOn(model, motion, options, {.tau = other.data()});
  const Joint& joint = model->joints()[2];
  for (Eigen::Index row = 0; row < 50; ++row) {
    const double v = motion.v(row, 2);
    Eigen::RowVectorXd expected = own.row(row);
    expected[2] += (1.5 - joint.damping) * v +
                   (0.7 - joint.friction) * (v > 0 ? 1 : -1) +
                   (0.3 - joint.armature) * motion.a(row, 2);
    EXPECT_LT((other.row(row) - expected).cwiseAbs().maxCoeff(), 1e-11) << row;
  }
}

TEST(TrajectoryCheck, PathInertiaIsThatOfTheSamples) {
  const auto model = ShippedModel("ur5e");
  const SampledMotion motion = MakeMotion(*model, 60, 4);
  TrajectoryOptions options;
  options.path_inertia = true;
  options.evaluation.task.characteristic_length = 0.3;
  SampleTable sigma(60, 1), condition(60, 1);
  const TrajectoryVerdict verdict =
      VerdictOn(model, motion, options,
                {.sigma_min = sigma.data(), .condition = condition.data()});
  ASSERT_TRUE(verdict.path_inertia);
  Robot::Options of_robot;
  of_robot.task = options.evaluation.task;
  of_robot.sigma_min = true;
  Robot robot(model, of_robot);
  Eigen::VectorXd scale(6);
  scale << 1, 1, 1, 0.3, 0.3, 0.3;
  double least = 1e9, most = 0;
  for (Eigen::Index row = 0; row < 60; ++row) {
    const auto space = robot.OperationalSpace(
        Eigen::VectorXd(motion.q.row(row)), Eigen::VectorXd(motion.v.row(row)));
    const Eigen::VectorXd values =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(
            scale.asDiagonal() * space.lambda * scale.asDiagonal())
            .eigenvalues();
    const double expected = values[5] / values[0];
    EXPECT_EQ(sigma(row, 0), space.diagnostics.sigma_min);
    // Rounding in the smallest eigenvalue grows with the ratio.
    EXPECT_NEAR(condition(row, 0) / expected, 1, 1e-12 + 1e-14 * expected)
        << row;
    least = std::min(least, sigma(row, 0));
    most = std::max(most, condition(row, 0));
  }
  EXPECT_EQ(verdict.path_inertia->sigma_min.value, least);
  EXPECT_EQ(verdict.path_inertia->condition.value, most);
}

TEST(TrajectoryCheck, ASingularPathHasAnInfiniteCondition) {
  const auto model = ShippedModel("ur5e");
  SampledMotion motion = MakeMotion(*model, 3, 4);
  motion.q.row(1).setZero();
  TrajectoryOptions options;
  options.path_inertia = true;
  const TrajectoryVerdict verdict = VerdictOn(model, motion, options);
  ASSERT_TRUE(verdict.path_inertia);
  EXPECT_TRUE(std::isinf(verdict.path_inertia->condition.value));
  EXPECT_EQ(verdict.path_inertia->condition.row, 1);
  EXPECT_LT(verdict.path_inertia->sigma_min.value, 1e-12);
}

TEST(TrajectoryCheck, ATaskThatCannotMoveHasAnInfiniteCondition) {
  // Its one eigenvalue is round-off: no ratio of eigenvalues shows that.
  const auto model = ShippedModel("panda");
  const SampledMotion motion = MakeMotion(*model, 3, 4);
  TrajectoryOptions options;
  options.path_inertia = true;
  options.evaluation.tip_frame = "panda_link3";
  options.evaluation.task.axes = {5};
  options.evaluation.task.axis_count = 1;
  SampleTable condition(3, 1);
  VerdictOn(model, motion, options, {.condition = condition.data()});
  EXPECT_TRUE((condition.array() == HUGE_VAL).all()) << condition;
  // Twin: along x it moves.
  options.evaluation.task.axes = {3};
  VerdictOn(model, motion, options, {.condition = condition.data()});
  EXPECT_TRUE((condition.array() == 1).all()) << condition;
}

}  // namespace
}  // namespace torqued

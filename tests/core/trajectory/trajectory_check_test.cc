// Laws of the verdict on whole trajectories, and what of them is judged.
#include "core/trajectory/trajectory_check.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "core/engine/robot.h"
#include "tests/core/trajectory/sampled_motion.h"
#include "tests/support/compare.h"
#include "tests/support/load_model.h"
#include "tests/support/random_robot.h"

namespace torqued::testing_support {
namespace {

using Eigen::VectorXd;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::shared_ptr<const Model> RustyArm(std::uint64_t seed, int dof = 4) {
  const auto robot =
      MakeRandomRobot(seed, {.shape = RandomRobotOptions::Shape::kChain,
                             .dof = dof,
                             .friction = true});
  return LoadModel(robot.urdf, robot.tip);
}

TrajectoryOptions WithFriction(double smoothing = 0) {
  TrajectoryOptions options;
  options.evaluation.terms.viscous_friction = true;
  options.evaluation.terms.coulomb_friction = true;
  options.evaluation.terms.coulomb_smoothing = smoothing;
  return options;
}

TrajectoryOptions AlongThePath() {
  TrajectoryOptions options;
  options.path_inertia = true;
  return options;
}

/// Every joint may give `share` of the most that the motion asks of it, and
/// anything else.
TrajectoryOptions Limited(const std::shared_ptr<const Model>& model,
                          const SampledMotion& motion,
                          TrajectoryOptions options, double share) {
  options.bounds = Wide(*model).bounds;
  const TrajectoryVerdict verdict = VerdictOn(model, motion, options);
  for (std::size_t j = 0; j < options.bounds.size(); ++j) {
    options.bounds[j].effort = share * std::abs(verdict.joints[j].torque.value);
  }
  return options;
}

TEST(TrajectoryCheck, PathDynamicsGiveTheTorquesOfEveryPace) {
  LargestErrors errors;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto model = RustyArm(seed);
    const SampledMotion motion = MakeMotion(*model, 20, seed, true);
    SampleTable a(20, 4), b = a, c = a, d = a, e = a;
    VerdictOn(model, motion, WithFriction(),
              {.a = a.data(),
               .b = b.data(),
               .c = c.data(),
               .d = d.data(),
               .e = e.data()});
    Robot::Options of_robot;
    of_robot.terms = WithFriction().evaluation.terms;
    Robot robot(model, of_robot);
    for (Eigen::Index row = 0; row < 20; ++row) {
      for (const auto& [rate, push] :
           {std::pair{0.4, 1.5}, std::pair{2.0, -3.0}, std::pair{1.0, 0.0}}) {
        const VectorXd q = motion.q.row(row), v = rate * motion.v.row(row),
                       accelerations = rate * rate * motion.a.row(row) +
                                       push * motion.v.row(row),
                       expected = robot.InverseDynamics(
                           q, v, accelerations,
                           VectorXd(motion.wrench.row(row))),
                       tau = push * a.row(row) + rate * rate * b.row(row) +
                             c.row(row) + rate * d.row(row) + e.row(row),
                       without = tau.transpose() - rate * d.row(row);
        errors.Add("tau", tau, expected, std::to_string(seed));
        errors.Add("tau, twin without friction", without, expected,
                   std::to_string(seed));
      }
    }
  }
  errors.ExpectBelow("tau", 1e-12);
  errors.ExpectAbove("tau, twin without friction", 1e-6);
}

TEST(TrajectoryCheck, AtThePaceThatItTellsItPassesAndAnyFasterItFails) {
  const struct {
    double effort, velocity, smoothing;  // shares of what is asked for
    int least;                           // of 80 motions
  } cases[] = {{0.95, 0.6, 0, 10},
               {0.95, 0.6, 0.05, 10},
               {0.95, 0.6, 1, 10},
               {1.5, 9, 0, 60}};
  for (const auto& [effort, velocity, smoothing, least] : cases) {
    int paced = 0;
    for (std::uint64_t seed = 1; seed <= 80; ++seed) {
      SCOPED_TRACE(seed);
      const auto model = RustyArm(seed);
      const SampledMotion motion = MakeMotion(*model, 400, seed);
      TrajectoryOptions options =
          Limited(model, motion, WithFriction(smoothing), effort);
      options.bounds[1].velocity =
          velocity * motion.v.col(1).cwiseAbs().maxCoeff();
      const TrajectoryVerdict verdict = VerdictOn(model, motion, options);
      const SlowDown& pace = verdict.slow_down;
      EXPECT_EQ(verdict.passes, effort > 1);
      if (!pace.possible) continue;
      EXPECT_EQ(pace.factor == 1, verdict.passes);
      ASSERT_TRUE(std::isfinite(pace.fastest));
      EXPECT_GE(pace.fastest, 1);
      const double factor = pace.factor / pace.fastest;
      if (std::abs(factor - 1) > 0.01) ++paced;
      EXPECT_TRUE(
          VerdictOn(model, motion.Slower(factor * (1 + 1e-9)), options).passes);
      EXPECT_FALSE(
          VerdictOn(model, motion.Slower(factor * (1 - 1e-4)), options).passes);
      EXPECT_EQ(pace.fastest_limited_by.row >= 0, verdict.passes);
    }
    EXPECT_GE(paced, least);
  }
}

/// Steps of a check, one by one.
class TrajectorySteps : public testing::Test {
 protected:
  void Start(int dof, std::int64_t rows, const TrajectoryOptions& options,
             std::optional<SplineMethod> spline = std::nullopt) {
    const auto model = RustyArm(3, dof);
    motion_ = MakeMotion(*model, rows, 3);
    motion_.spline = spline;
    check_ = std::get<std::unique_ptr<TrajectoryCheck>>(
        TrajectoryCheck::Create(model, motion_.View(), options));
  }
  std::int64_t DoneAfterAStep(
      const std::shared_ptr<CancellationToken>& token = nullptr) {
    EXPECT_FALSE(
        check_->Advance(engine_, {.cancellation = token, .max_threads = 1}));
    return check_->done();
  }
  /// After those that look at all samples before.
  std::int64_t DoneAfterTheFirst() {
    std::int64_t done = 0;
    while (done == 0 && !HasFailure()) done = DoneAfterAStep();
    return done;
  }

 private:
  SampledMotion motion_{0, 0};
  Engine engine_{Engine::Options{.threads = 1}};
  std::unique_ptr<TrajectoryCheck> check_;
};

TEST_F(TrajectorySteps, TakeFewerSamplesWhereEachCostsMore) {
  for (const auto& [dof, step] : {std::pair{4, 8192}, std::pair{100, 655}}) {
    Start(dof, 9000, {});
    // All samples are looked at in as small steps before one is checked.
    for (int looked_at = 0; looked_at < 9000; looked_at += step) {
      EXPECT_EQ(DoneAfterAStep(), 0);
    }
    EXPECT_EQ(DoneAfterAStep(), step);
  }
  // All tasks may be singular, which shows only when they are computed.
  Start(100, 1000, AlongThePath());
  EXPECT_LT(DoneAfterTheFirst(), 300);
  Start(7, 9000, AlongThePath());
  EXPECT_LT(DoneAfterTheFirst(), 5000);
  // Derived rates are not looked at before.
  Start(4, 9000, {}, SplineMethod::kQuintic);
  EXPECT_GT(DoneAfterAStep(), 0);
}

TEST_F(TrajectorySteps, CheckNothingOnceCancelled) {
  Start(250, 4, AlongThePath());
  const auto token = std::make_shared<CancellationToken>();
  // The first one looks at the samples.
  EXPECT_EQ(DoneAfterAStep(token), 0);
  token->Cancel();
  EXPECT_EQ(DoneAfterAStep(token), 0);
  EXPECT_GT(DoneAfterAStep(), 0);
}

TEST(TrajectoryCheck, TheLargestPayloadOfAShapePassesAndMoreFails) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const auto model = RustyArm(seed);
    const SampledMotion motion = MakeMotion(*model, 300, seed);
    TrajectoryOptions options = Limited(model, motion, WithFriction(), 1.3);
    LinkInertial shape;
    shape.origin.p = {0.1, 0, -0.05};
    const auto carry = [&](double mass) {
      shape.mass = mass;
      shape.inertia = {0.01 * mass, 0, 0, 0.015 * mass, 0, 0.02 * mass};
      options.evaluation.payload = PayloadOptions{{}, shape};
      return VerdictOn(model, motion, options);
    };
    const auto payload = carry(2).payload;
    ASSERT_TRUE(payload);
    EXPECT_EQ(payload->least, 0);
    ASSERT_TRUE(std::isfinite(payload->most));
    EXPECT_GE(payload->limited_by.row, 0);
    EXPECT_TRUE(carry(payload->most * (1 - 1e-9)).passes) << seed;
    EXPECT_FALSE(carry(payload->most * (1 + 1e-6)).passes) << seed;
  }
}

TEST(TrajectoryCheck, AViolationOfAPositionIsAsSevereAsItsRangeIsLeft) {
  const auto model = RustyArm(2);
  const SampledMotion motion = MakeMotion(*model, 300, 2);
  TrajectoryOptions options = Limited(model, motion, {}, 2);
  options.bounds[0].lower = motion.q.col(0).minCoeff() + 0.1;
  options.bounds[0].upper = motion.q.col(0).minCoeff() + 5.1;
  const auto violations = VerdictOn(model, motion, options).violations.gravest;
  ASSERT_FALSE(violations.empty());
  EXPECT_EQ(violations[0].kind, LimitKind::kPosition);
  EXPECT_NEAR(violations[0].severity, 1 + 0.1 / 5, 1e-12);
}

TEST(TrajectoryCheck, WhatDrivesGiveIsTheChangeOfEnergy) {
  const auto model = RustyArm(5);
  const SampledMotion motion = MakeMotion(*model, 20'000, 5);
  EvaluationOptions wanted;
  wanted.quantities = {Quantity::kEnergy};
  EvaluationInputs inputs;
  inputs.q = {motion.q.data(), NumberType::kF64, 20'000, 4};
  inputs.v = {motion.v.data(), NumberType::kF64, 20'000, 4};
  const auto plan =
      std::get<EvaluationPlan>(EvaluationPlan::Create(model, wanted, inputs));
  std::vector<double> kinetic(20'000), potential(20'000);
  EvaluationOutputs outputs;
  outputs[Output::kKineticEnergy] = {kinetic.data(), NumberType::kF64};
  outputs[Output::kPotentialEnergy] = {potential.data(), NumberType::kF64};
  Engine engine;
  engine.Evaluate(plan, outputs);
  const double change =
      kinetic.back() + potential.back() - kinetic.front() - potential.front();
  const TrajectoryVerdict verdict = VerdictOn(model, motion, {});
  EXPECT_GT(verdict.energy_taken, 0);
  EXPECT_NEAR(verdict.energy_given - verdict.energy_taken, change,
              1e-6 * verdict.energy_given);
  // Dry friction only takes.
  const TrajectoryVerdict rusty = VerdictOn(model, motion, WithFriction());
  EXPECT_GT(rusty.energy_given - rusty.energy_taken, change * (1 + 1e-3));
}

TEST(TrajectoryCheck, PlacesAndLimitsAreInTheCallersOrder) {
  const auto model = RustyArm(9);
  const SampledMotion motion = MakeMotion(*model, 100, 9);
  SampledMotion turned = motion;
  for (SampleTable* table : {&turned.q, &turned.v, &turned.a}) {
    table->rowwise().reverseInPlace();
  }
  std::vector<std::string> names;
  for (std::size_t k = 4; k-- > 0;) names.push_back(model->joints()[k].name);
  // The latter with room for a payload.
  for (const double share : {0.9, 1.8}) {
    TrajectoryOptions options = Limited(model, motion, WithFriction(), share);
    const TrajectoryVerdict expected = VerdictOn(model, motion, options);
    options.evaluation.joint_names = names;
    std::ranges::reverse(options.bounds);
    const TrajectoryVerdict verdict = VerdictOn(model, turned, options);
    ASSERT_EQ(verdict.payload.has_value(), share > 1);
    ASSERT_EQ(verdict.violations.count, expected.violations.count);
    if (share > 1) {
      EXPECT_EQ(verdict.payload->most, expected.payload->most);
      EXPECT_EQ(verdict.payload->limited_by.joint,
                3 - expected.payload->limited_by.joint);
    } else {
      EXPECT_EQ(verdict.violations.gravest[0].joint,
                3 - expected.violations.gravest[0].joint);
    }
  }
  TrajectoryOptions options;
  options.evaluation.joint_names = names;
  const TrajectoryVerdict own = VerdictOn(model, turned, options);
  for (std::size_t k = 0; k < 4; ++k) {
    const JointLimits& limits = model->joints()[3 - k].limits;
    EXPECT_EQ(own.limits[k].lower, limits.lower.value_or(-kInfinity));
    EXPECT_EQ(own.limits[k].upper, limits.upper.value_or(kInfinity));
    EXPECT_EQ(own.limits[k].torque.At(1), limits.effort.value_or(kInfinity));
  }
}

TEST(TrajectoryCheck, TheConditionIsThatOfTheScaledTaskInertia) {
  const auto model = ShippedModel("ur5e");
  const SampledMotion motion = MakeMotion(*model, 60, 4);
  TrajectoryOptions options = AlongThePath();
  options.evaluation.task.characteristic_length = 0.3;
  SampleTable condition(60, 1);
  VerdictOn(model, motion, options, {.condition = condition.data()});
  Robot::Options of_robot;
  of_robot.task = options.evaluation.task;
  Robot robot(model, of_robot);
  VectorXd scale(6);
  scale << 1, 1, 1, 0.3, 0.3, 0.3;
  for (Eigen::Index row = 0; row < 60; ++row) {
    const auto space = robot.OperationalSpace(VectorXd(motion.q.row(row)),
                                              VectorXd(motion.v.row(row)));
    const VectorXd values =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(
            scale.asDiagonal() * space.lambda * scale.asDiagonal())
            .eigenvalues();
    const double expected = values[5] / values[0];
    // Rounding in the smallest eigenvalue grows with the ratio.
    EXPECT_NEAR(condition(row, 0) / expected, 1, 1e-12 + 1e-14 * expected)
        << row;
  }
}

TEST(TrajectoryCheck, SingularTasksHaveAnInfiniteCondition) {
  const auto arm = ShippedModel("ur5e");
  SampledMotion path = MakeMotion(*arm, 3, 4);
  path.q.row(1).setZero();
  TrajectoryOptions options = AlongThePath();
  const auto path_inertia = VerdictOn(arm, path, options).path_inertia;
  ASSERT_TRUE(path_inertia);
  EXPECT_TRUE(std::isinf(path_inertia->condition.value));
  EXPECT_EQ(path_inertia->condition.row, 1);
  EXPECT_LT(path_inertia->sigma_min.value, 1e-12);
  // Of a task that cannot move: its one eigenvalue is round-off, and no
  // ratio of eigenvalues shows that. Twin: along x it moves.
  const auto model = ShippedModel("panda");
  const SampledMotion motion = MakeMotion(*model, 3, 4);
  options.evaluation.tip_frame = "panda_link3";
  options.evaluation.task.axis_count = 1;
  for (const auto& [axis, expected] :
       {std::pair{5, kInfinity}, std::pair{3, 1.0}}) {
    options.evaluation.task.axes = {static_cast<std::uint8_t>(axis)};
    SampleTable condition(3, 1);
    VerdictOn(model, motion, options, {.condition = condition.data()});
    EXPECT_TRUE((condition.array() == expected).all()) << condition;
  }
}

TEST(JudgedMotion, VelocitiesBetweenSamplesSlowItDown) {
  const auto model = ShippedModel("planar_2r");
  // Fastest, and the other joint lowest, at 2.5 s, where no sample is.
  SampledMotion motion(6, 2);
  for (int k = 0; k < 6; ++k) {
    const double t = k - 2.5;
    motion.q.row(k) << t - 0.02 * t * t * t, t * t;
  }
  motion.spline = SplineMethod::kCubic;
  const auto rates = Differentiate(motion.time, motion.q, *motion.spline);
  ASSERT_TRUE(rates);
  motion.v = rates->v;
  motion.a = rates->a;
  TrajectoryOptions options = Wide(*model);
  options.bounds[0].velocity = 0.99;  // 0.985 at the samples, 1 between them
  const TrajectoryVerdict verdict = VerdictOn(model, motion, options);
  ASSERT_EQ(verdict.violations.count, 1);
  EXPECT_EQ(verdict.violations.gravest[0].kind, LimitKind::kVelocity);
  EXPECT_NEAR(verdict.joints[1].lowest_position.value, 0, 1e-12);
  EXPECT_NEAR(verdict.joints[0].velocity.value, 1, 1e-12);
  EXPECT_NEAR(verdict.joints[0].velocity_use.value, 1 / 0.99, 1e-12);
  ASSERT_TRUE(verdict.slow_down.possible);
  EXPECT_NEAR(verdict.slow_down.factor, 1 / 0.99, 1e-12);
  EXPECT_EQ(verdict.slow_down.limited_by.row, 2);
  EXPECT_NEAR(verdict.slow_down.limited_by.after, 0.5, 1e-9);
  motion.spline.reset();
  EXPECT_TRUE(VerdictOn(model, motion, options).passes);
}

TEST(JudgedMotion, DerivedRatesAreNotHeldAgainstPositions) {
  const auto model = ShippedModel("planar_2r");
  TrajectoryOptions options = Wide(*model);
  options.consistent = true;
  // To and fro: at rest at each sample, as a spline through them is.
  SampledMotion saw(8, 2);
  for (Eigen::Index row = 1; row < 8; row += 2) saw.q(row, 0) = 1;
  EXPECT_FALSE(VerdictOn(model, saw, options).passes);
  saw.spline = SplineMethod::kCubic;
  EXPECT_TRUE(VerdictOn(model, saw, options).passes);
}

TEST(JudgedMotion, TheLargestStepIsToldWhereItIsCoarse) {
  const auto model = ShippedModel("panda");
  // 0.8 rad at up to 3 rad/s: 2.4 rad/s.
  const SampledMotion fine = MakeMotion(*model, 3000, 2);
  EXPECT_FALSE(VerdictOn(model, fine, Wide(*model)).coarse_step);
  SampledMotion motion = fine;
  motion.q.col(3).tail(1500).array() += 0.3;
  // Neither the first coarse one nor the last.
  motion.q.col(2).head(600).array() += 0.28;
  motion.q.col(4).head(2400).array() += 0.28;
  const auto step = VerdictOn(model, motion, Wide(*model)).coarse_step;
  ASSERT_TRUE(step);
  EXPECT_EQ(step->row, 1499);
  EXPECT_EQ(step->joint, 3);

  // A tenth of the velocity limit, where velocities are those of samples.
  motion = fine;
  motion.v.col(5).tail(2300).array() += 0.3;
  TrajectoryOptions options = Wide(*model);
  options.bounds[5].velocity = 2.61;
  EXPECT_EQ(VerdictOn(model, motion, options).coarse_step->row, 699);
  options.bounds[5].velocity = 4;
  EXPECT_FALSE(VerdictOn(model, motion, options).coarse_step);
  // A spline is judged between its samples.
  options.bounds[5].velocity = 2.61;
  motion.spline = SplineMethod::kCubic;
  EXPECT_FALSE(VerdictOn(model, motion, options).coarse_step);
}

}  // namespace
}  // namespace torqued::testing_support

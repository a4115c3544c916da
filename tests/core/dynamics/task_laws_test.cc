// Laws of operational space: Λ and η, the dynamically consistent inverse, the
// null-space projector and the torques of a task (Khatib 1987).
#include <Eigen/LU>
#include <algorithm>

#include "tests/core/dynamics/robots.h"
#include "tests/support/compare.h"
#include "tests/support/random_robot.h"

namespace torqued::testing_support {
namespace {

using Eigen::VectorXd;
using enum Quantity;

double SizeOf(const RowMajor& A) { return A.cwiseAbs().maxCoeff(); }

constexpr QuantitySet kTask = {kOperationalSpace, kTaskProjection, kMassMatrix,
                               kJacobian,         kJacobianDrift,  kBiasForces};

/// A robot's task, and what the engine says of it.
struct Task {
  explicit Task(const Setting& s, const Answers& is)
      : m(s.options.task.axis_count),
        M(is.Matrix(Output::kMassMatrix, s.n())),
        lambda(is.Matrix(Output::kLambda, m)),
        W(is.Matrix(Output::kMobility, m)),
        J_bar(is.Matrix(Output::kConsistentInverse, s.n())),
        N(is.Matrix(Output::kNullSpaceProjector, s.n())),
        eta(is[Output::kEta]),
        J(m, s.n()),
        drift(m) {
    for (int i = 0; i < m; ++i) {
      const int axis = s.options.task.axes[static_cast<std::size_t>(i)];
      J.row(i) = is.Matrix(Output::kJacobian, 6).row(axis);
      drift[i] = is[Output::kJacobianDrift][axis];
    }
    condition = ConditionNumber(M) * ConditionNumber(W);
  }

  int m;
  RowMajor M, lambda, W, J_bar, N;
  VectorXd eta;
  RowMajor J;
  VectorXd drift;
  double condition;
};

/// Calls check(setting, task, tolerance) for well-conditioned tasks of six
/// axes, of the position, and of one axis.
template <class Ask, class Check>
void ForTasks(double round_off, const Ask& ask, const Check& check) {
  int regular = 0;
  for (Setting s : Settings()) {
    for (const ReferenceFrame frame : kReferenceFrames) {
      for (const TaskOptions& options :
           {TaskOptions{}, TaskOptions{.axes = {3, 4, 5}, .axis_count = 3},
            TaskOptions{.axes = {1}, .axis_count = 1}}) {
        s.options.reference_frame = frame;
        s.options.task = options;
        const Answers is = ask(s, kTask);
        if (is.diagnostics.rule != TaskRule::kFullRank) continue;
        const Task task(s, is);
        const double tolerance = round_off * task.condition;
        if (!(tolerance < 1e-2)) continue;
        SCOPED_TRACE(s.name);
        ++regular;
        check(s, task, tolerance);
      }
    }
  }
  EXPECT_GT(regular, 60);
}

TEST_P(Laws, TaskInertiaIsTheInverseOfTheMobility) {
  ForTasks(tolerance(), Of, [](const Setting& s, const Task& t, double bound) {
    const RowMajor one = RowMajor::Identity(t.m, t.m);
    EXPECT_LT(RelativeError(t.lambda * t.W, one), bound);
    EXPECT_LT(RelativeError(t.J * t.J_bar, one), bound);
    EXPECT_LT(RelativeError(t.W, t.J * t.M.inverse() * t.J.transpose()), bound);
    EXPECT_LT(
        RelativeError(t.J_bar, t.M.inverse() * t.J.transpose() * t.lambda),
        bound);
    EXPECT_EQ(s.options.task.axis_count, t.m);
  });
}

TEST_P(Laws, ProjectorLeavesTheTaskAlone) {
  int coupled = 0;
  ForTasks(tolerance(), Of, [&](const Setting& s, const Task& t, double bound) {
    const double size = std::max(1.0, SizeOf(t.N) * SizeOf(t.N));
    EXPECT_LT(SizeOf(t.N * t.N - t.N), bound * size);
    EXPECT_LT(SizeOf(t.J * t.N), bound * size * SizeOf(t.J));
    EXPECT_LT(SizeOf(t.M * t.N - t.N.transpose() * t.M),
              bound * size * SizeOf(t.M));
    EXPECT_NEAR(t.N.trace(), s.n() - t.m, bound * size);
    if (s.n() <= t.m) return;
    // Twin: the projector of another metric, where joints beside the task are
    // coupled with it.
    const RowMajor other =
        RowMajor::Identity(s.n(), s.n()) -
        t.J.transpose() * (t.J * t.J.transpose()).inverse() * t.J;
    const double gap = SizeOf(t.M * other - other.transpose() * t.M);
    coupled += gap > 1e-3 * SizeOf(t.M) ? 1 : 0;
  });
  EXPECT_GT(coupled, 20);
}

TEST_P(Laws, TaskForceIsInertiaTimesAccelerationPlusBias) {
  // J̄ᵀ τ = Λ (J a + J̇ v) + η + F, F the tip's wrench on the environment.
  ForTasks(tolerance(), Of, [](Setting s, const Task& t, double bound) {
    s.options.wrench_frame = s.options.reference_frame;
    s[Input::kTipWrench] = VectorXd::LinSpaced(6, -9, 12);
    VectorXd force =
        t.J_bar.transpose() * Of(s, {kInverseDynamics})[Output::kTau];
    force -= t.J_bar.transpose() * (Of(s, {kJacobian, kInverseDynamics})
                                        .Matrix(Output::kJacobian, 6)
                                        .transpose() *
                                    s[Input::kTipWrench]);
    const VectorXd acceleration = t.J * s[Input::kA] + t.drift;
    EXPECT_LT(
        RelativeError(t.lambda * acceleration + t.eta, force,
                      force.norm() + t.lambda.norm() * acceleration.norm()),
        bound);
    EXPECT_GT(RelativeError(t.lambda * acceleration - t.eta, force, 1e-3),
              1e-8);
  });
}

TEST_P(Laws, TaskTorqueAcceleratesTheTaskWhateverTheNullSpaceTorque) {
  int redundant = 0;
  std::uint64_t seed = 0;
  ForTasks(tolerance(), Of, [&](Setting s, const Task& t, double bound) {
    Random random(++seed);
    const VectorXd wanted = random.Vector(t.m, -5, 5),
                   idle = random.Vector(s.n(), -20, 20);
    s[Input::kBaseTwist] = random.Vector(6, -1, 1);
    s[Input::kBaseAcceleration] = random.Vector(6, -3, 3);
    s[Input::kTipWrench] = random.Vector(6, -9, 9);
    s.options.terms.viscous_friction = true;
    s[Input::kTaskAcceleration] = wanted;
    const auto accelerate = [&](const VectorXd& tau) {
      Setting pushed = s.With(Input::kTau, tau);
      pushed.inputs.erase(Input::kTaskAcceleration);
      pushed.inputs.erase(Input::kNullSpaceTorque);
      const Answers is =
          Of(pushed, {kForwardFrameAcceleration, kJacobianDrift});
      VectorXd acceleration(t.m);
      for (int i = 0; i < t.m; ++i) {
        acceleration[i] = is[Output::kForwardFrameAcceleration]
                            [s.options.task.axes[static_cast<std::size_t>(i)]];
      }
      return acceleration;
    };
    const VectorXd least = Of(s, {kTaskTorque})[Output::kTaskTorque];
    s[Input::kNullSpaceTorque] = idle;
    const VectorXd tau = Of(s, {kTaskTorque})[Output::kTaskTorque];
    const double size =
        wanted.norm() + t.J.norm() * t.M.inverse().norm() * tau.norm();
    EXPECT_LT(RelativeError(accelerate(least), wanted, size), bound);
    EXPECT_LT(RelativeError(accelerate(tau), wanted, size), bound);
    // Redundant robots move in other ways; torques that are not projected
    // disturb the task.
    redundant += (tau - least).norm() > 1e-3;
    EXPECT_GT(RelativeError(accelerate(least + idle), wanted, 10), 1e-4);
  });
  EXPECT_GT(redundant, 50);
}

TEST_P(Laws, ProjectionOfASingularTaskIsOnItsRange) {
  int singular = 0;
  for (const Setting& s : Settings()) {
    if (s.n() > 4) continue;
    const Answers is = Of(s, kTask);
    if (is.diagnostics.rule != TaskRule::kRangeRestricted) continue;
    ++singular;
    const Task t(s, is);
    const RowMajor P = t.J * t.J_bar;
    const double bound = std::max(1e-8, tolerance()) * std::max(1.0, SizeOf(P));
    EXPECT_LT(SizeOf(P * P - P), bound) << s.name;
    EXPECT_LT(SizeOf(P * t.J - t.J), bound) << s.name;
    EXPECT_NEAR(P.trace(), is.diagnostics.rank, bound) << s.name;
    EXPECT_LT(SizeOf(t.J * t.N), bound) << s.name;
    EXPECT_LT(SizeOf(t.N * t.N - t.N), bound) << s.name;
    EXPECT_GT(SizeOf(P - RowMajor::Identity(6, 6)), 1e-3) << s.name;
  }
  EXPECT_GT(singular, 8);
}

}  // namespace
}  // namespace torqued::testing_support

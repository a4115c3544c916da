// Laws of operational space: Λ and η, the dynamically consistent inverse, the
// null-space projector and the torques of a task (Khatib 1987).
#include <Eigen/LU>
#include <Eigen/SVD>
#include <algorithm>

#include "tests/core/dynamics/robots.h"
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
        axes(s.options.task.axes.begin(), s.options.task.axes.begin() + m),
        M(is.Matrix(Output::kMassMatrix)),
        lambda(is.Matrix(Output::kLambda, m)),
        W(is.Matrix(Output::kMobility, m)),
        J_bar(is.Matrix(Output::kConsistentInverse)),
        N(is.Matrix(Output::kNullSpaceProjector)),
        J(is.Matrix(Output::kJacobian, 6)(axes, Eigen::all)),
        eta(is[Output::kEta]),
        drift(is[Output::kJacobianDrift](axes)),
        condition(ConditionNumber(M) * ConditionNumber(W)) {}

  int m;
  std::vector<int> axes;
  RowMajor M, lambda, W, J_bar, N, J;
  VectorXd eta, drift;
  double condition;
};

/// Calls check(setting, task, tolerance) for well-conditioned tasks of six
/// axes, of three in any order, and of one.
template <class Ask, class Check>
void ForTasks(double round_off, const Ask& ask, const Check& check) {
  int regular = 0;
  for (Setting s : Settings()) {
    for (const ReferenceFrame frame : kReferenceFrames) {
      for (const TaskOptions& options :
           {TaskOptions{}, TaskOptions{.axes = {5, 0, 3}, .axis_count = 3},
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
  ForTasks(tolerance(), Of, [](Setting s, const Task& t, double bound) {
    const RowMajor one = RowMajor::Identity(t.m, t.m);
    EXPECT_EQ(t.lambda, t.lambda.transpose());
    EXPECT_LT(RelativeError(t.lambda * t.W, one), bound / ConditionNumber(t.M));
    EXPECT_LT(RelativeError(t.J * t.J_bar, one), bound);
    EXPECT_LT(RelativeError(t.W, t.J * t.M.inverse() * t.J.transpose()), bound);
    EXPECT_LT(
        RelativeError(t.J_bar, t.M.inverse() * t.J.transpose() * t.lambda),
        bound);
    // Damping does not touch what has full rank.
    s.options.task.singularity = SingularityRule::kDamped;
    s.options.task.damping = 0.5;
    const Answers damped = Of(s, {kOperationalSpace});
    EXPECT_EQ(damped.Matrix(Output::kLambda, t.m), t.lambda);
    EXPECT_EQ(damped[Output::kEta], t.eta);
    EXPECT_EQ(damped.diagnostics.rule, TaskRule::kFullRank);
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
    const Answers is = Of(s, {kJacobian, kInverseDynamics});
    const RowMajor J = is.Matrix(Output::kJacobian, 6);
    const VectorXd force =
        t.J_bar.transpose() *
        (is[Output::kTau] - J.transpose() * s[Input::kTipWrench]);
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
      return VectorXd(is[Output::kForwardFrameAcceleration](t.axes));
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
  int singular = 0, of_all_joints = 0;
  ForAll([&](const Setting& s) {
    if (s.n() > 4) return;
    const Answers is = Of(s, kTask);
    if (is.diagnostics.rule != TaskRule::kRangeRestricted) return;
    ++singular;
    const Task t(s, is);
    const RowMajor P = t.J * t.J_bar;
    const double bound = std::max(1e-8, tolerance()) * std::max(1.0, SizeOf(P));
    EXPECT_LT(SizeOf(P * P - P), bound);
    EXPECT_LT(SizeOf(P * t.J - t.J), bound);
    EXPECT_NEAR(P.trace(), is.diagnostics.rank, bound);
    EXPECT_LT(SizeOf(t.J * t.N), bound);
    EXPECT_LT(SizeOf(t.N * t.N - t.N), bound);
    EXPECT_GT(SizeOf(P - RowMajor::Identity(6, 6)), 1e-3);
    // Jᵀ Λ J = M where every joint moves the task; what decides the rank does
    // not change the range.
    if (is.diagnostics.rank != s.n()) return;
    ++of_all_joints;
    const double J_condition = ConditionNumber(t.J);
    const double lost =
        tolerance() * J_condition * J_condition * ConditionNumber(t.M);
    EXPECT_LT(RelativeError(t.J.transpose() * t.lambda * t.J, t.M), lost);
    EXPECT_EQ(t.lambda, t.lambda.transpose());
    const VectorXd sigma =
        Eigen::JacobiSVD<RowMajor>(t.lambda).singularValues();
    EXPECT_LT(sigma[s.n()], std::max(1e-9, tolerance()) * sigma[0]);
    Setting other = s;
    other.options.task.characteristic_length = 0.2;
    EXPECT_LT(
        RelativeError(Of(other, kTask).Matrix(Output::kLambda, 6), t.lambda),
        lost);
    other = s;
    other.options.task.rank_tolerance = 0;  // no round-off counts
    const Answers strict = Of(other, kTask);
    EXPECT_EQ(strict.diagnostics.rank, s.n());
    EXPECT_EQ(strict.diagnostics.rule, TaskRule::kRangeRestricted);
    EXPECT_LT(RelativeError(strict.Matrix(Output::kLambda, 6), t.lambda),
              std::max(1e-6, lost));
  });
  EXPECT_GT(singular, 8);
  EXPECT_GT(of_all_joints, 5);
}

}  // namespace
}  // namespace torqued::testing_support

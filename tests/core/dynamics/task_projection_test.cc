// Laws of the dynamically consistent inverse and the null-space projector.
#include "core/dynamics/task_projection-inl.h"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "core/dynamics/aba-inl.h"
#include "core/dynamics/crba-inl.h"
#include "core/dynamics/jacobian-inl.h"
#include "core/dynamics/ldlt-inl.h"
#include "core/dynamics/link_motion-inl.h"
#include "core/dynamics/operational_space.h"
#include "core/dynamics/packed_ldlt-inl.h"
#include "core/dynamics/rnea-inl.h"
#include "core/dynamics/task_inertia-inl.h"
#include "core/dynamics/task_mobility-inl.h"
#include "tests/core/dynamics/random_cases.h"
#include "tests/support/compare.h"

namespace torqued::testing_support {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

const DynamicsTerms kTerms = {{0, 0, -9.81}, false, false, false};

/// A robot's task of the axes of `options`, local.
struct Task {
  RowMajor M, LD, J, W, lambda, J_bar, N;
  VectorXd eta;
  TaskDiagnostics diagnostics;
  double tolerance;  // round-off, relative
};

Task TaskOf(const RandomCase& c, const TaskOptions& options) {
  const int n = c.n(), m = options.axis_count;
  Task t;
  Configured<double> at = At(c.tree(), c.state.q);
  t.M.resize(n, n);
  MassMatrix(c.tree(), at.scratch(), t.M.data());
  t.LD = t.M;
  FactorLdlt(n, t.LD.data());
  RowMajor whole(6, n);
  FrameJacobian(c.tree(), c.tip, ReferenceFrame::kLocal, at.scratch(),
                whole.data());
  VectorXd whole_drift(6), drift(m), h(n), r(m), work((m + 1) * n);
  InverseDynamics(c.tree(), kTerms, c.state.v.data(),
                  static_cast<const double*>(nullptr), at.scratch(), h.data());
  FrameDrift(c.tree(), c.tip, ReferenceFrame::kLocal, c.state.v.data(),
             at.scratch(), whole_drift.data());
  t.J.resize(m, n);
  for (int i = 0; i < m; ++i) {
    t.J.row(i) = whole.row(options.axes[i]);
    drift[i] = whole_drift[options.axes[i]];
  }
  t.W.resize(m, m);
  t.lambda.resize(m, m);
  t.eta.resize(m);
  TaskMobility(m, n, t.J.data(), t.LD.data(), h.data(), drift.data(),
               work.data(), t.W.data(), r.data());
  t.diagnostics =
      SolveTask(options, RankOfTask(options, n, n, whole.data()), t.W.data(),
                r.data(), t.lambda.data(), t.eta.data());
  t.J_bar = RowMajor::Constant(n, m, 7);
  t.N = RowMajor::Constant(n, n, 7);
  DynamicallyConsistentInverse(m, n, t.J.data(), t.LD.data(), t.lambda.data(),
                               work.data(), t.J_bar.data());
  NullSpaceProjector(m, n, t.J.data(), t.J_bar.data(), t.N.data());
  t.tolerance = 100 * kEpsilon * ConditionNumber(t.M);
  if (t.diagnostics.rule == TaskRule::kFullRank) {
    t.tolerance *= ConditionNumber(t.W);
  }
  return t;
}

constexpr TaskOptions kPosition = {.axes = {3, 4, 5}, .axis_count = 3};

/// Tasks with a Jacobian of full rank, well conditioned.
template <class Check>
void ForRegularTasks(const Check& check) {
  int regular = 0;
  for (const RandomCase& c : MakeRandomCases({.armature = true})) {
    for (const TaskOptions& options : {TaskOptions{}, kPosition}) {
      const Task t = TaskOf(c, options);
      if (t.diagnostics.rule != TaskRule::kFullRank || t.tolerance > 1e-6) {
        continue;
      }
      SCOPED_TRACE(c.name);
      ++regular;
      check(c, options, t);
    }
  }
  EXPECT_GT(regular, 20);
}

double SizeOf(const MatrixXd& A) { return A.cwiseAbs().maxCoeff(); }

TEST(TaskProjection, JacobianTimesItsInverseIsOne) {
  ForRegularTasks(
      [](const RandomCase&, const TaskOptions& options, const Task& t) {
        const int m = options.axis_count;
        const MatrixXd one = MatrixXd::Identity(m, m);
        EXPECT_LT(RelativeError(t.J * t.J_bar, one), t.tolerance);
        // Twin.
        EXPECT_GT(RelativeError(1.001 * t.J * t.J_bar, one), 1e-4);
      });
}

TEST(TaskProjection, ProjectorLeavesTheTaskAlone) {
  int coupled = 0;
  ForRegularTasks([&](const RandomCase& c, const TaskOptions& options,
                      const Task& t) {
    const double size = std::max(1.0, SizeOf(t.N) * SizeOf(t.N));
    EXPECT_LT(SizeOf(t.N * t.N - t.N), t.tolerance * size);
    EXPECT_LT(SizeOf(t.J * t.N), t.tolerance * size * SizeOf(t.J));
    EXPECT_LT(SizeOf(t.M * t.N - t.N.transpose() * t.M),
              t.tolerance * size * SizeOf(t.M));
    EXPECT_NEAR(t.N.trace(), c.n() - options.axis_count, t.tolerance * size);
    if (c.n() <= options.axis_count) return;
    // Twin: the projector of another metric, where joints beside the task are
    // coupled with it.
    const MatrixXd pseudoinverse =
        t.J.transpose() * (t.J * t.J.transpose()).inverse();
    const MatrixXd other =
        MatrixXd::Identity(c.n(), c.n()) - pseudoinverse * t.J;
    const double gap = SizeOf(t.M * other - other.transpose() * t.M);
    coupled += gap > 1e-3 * SizeOf(t.M) ? 1 : 0;
  });
  EXPECT_GT(coupled, 20);
}

TEST(TaskProjection, ControlledTaskAcceleratesAsTold) {
  // τ = Jᵀ(Λ a* + η) + Nᵀ τ_0 gives J q̈ + J̇ q̇ = a* for any τ_0.
  Random random(8);
  ForRegularTasks([&](const RandomCase& c, const TaskOptions& options,
                      const Task& t) {
    const VectorXd told = random.Vector(options.axis_count, -3, 3);
    const VectorXd idle = random.Vector(c.n(), -10, 10);
    const auto acceleration = [&](const VectorXd& tau) {
      Configured<double> at = At(c.tree(), c.state.q);
      VectorXd a(c.n()), drift(6), task(options.axis_count);
      ForwardDynamics(c.tree(), kTerms, c.state.v.data(), tau.data(),
                      at.scratch(), a.data());
      FrameDrift(c.tree(), c.tip, ReferenceFrame::kLocal, c.state.v.data(),
                 at.scratch(), drift.data());
      for (int i = 0; i < options.axis_count; ++i) {
        task[i] = t.J.row(i).dot(a) + drift[options.axes[i]];
      }
      return task;
    };
    const VectorXd force = t.lambda * told + t.eta;
    const VectorXd tau = t.J.transpose() * force;
    const double scale = std::max(1.0, SizeOf(t.W * force));
    EXPECT_LT(
        RelativeError(acceleration(tau + t.N.transpose() * idle), told, scale),
        t.tolerance);
    // Twin: torques that are not projected.
    EXPECT_GT(RelativeError(acceleration(tau + idle), told), 1e-3);
  });
}

TEST(TaskProjection, OfASingularTaskProjectsOnItsRange) {
  int singular = 0;
  for (const RandomCase& c : MakeRandomCases()) {
    const Task t = TaskOf(c, {});
    if (t.diagnostics.rule != TaskRule::kRangeRestricted || c.n() > 4) continue;
    ++singular;
    const MatrixXd P = t.J * t.J_bar;
    const double tolerance = 1e-8 * std::max(1.0, SizeOf(P));
    EXPECT_LT(SizeOf(P * P - P), tolerance) << c.name;
    EXPECT_LT(SizeOf(P * t.J - t.J), tolerance) << c.name;
    EXPECT_NEAR(P.trace(), t.diagnostics.rank, tolerance) << c.name;
    EXPECT_LT(SizeOf(t.J * t.N), tolerance) << c.name;
    EXPECT_LT(SizeOf(t.N * t.N - t.N), tolerance) << c.name;
    // Twin: it is not the identity.
    EXPECT_GT(SizeOf(P - MatrixXd::Identity(6, 6)), 1e-3) << c.name;
  }
  EXPECT_GT(singular, 8);
}

TEST(TaskProjection, IsTheSameFromPackedFactors) {
  ForRegularTasks(
      [](const RandomCase& c, const TaskOptions& options, const Task& t) {
        const int n = c.n(), m = options.axis_count;
        VectorXd LD(PackedSize(n)), reciprocal(n), work(n);
        for (int i = 0; i < n; ++i) {
          for (int j = 0; j <= i; ++j) LD[PackedEntry(i, j)] = t.M(i, j);
        }
        FactorPacked(n, LD.data(), reciprocal.data());
        RowMajor J_bar(n, m);
        ConsistentInverse(
            m, n, [&](int i) { return t.J.data() + i * n; },
            [&](double* x) { SolvePacked(n, LD.data(), reciprocal.data(), x); },
            [&](int i, int j) { return t.lambda(i, j); }, work.data(),
            J_bar.data());
        EXPECT_LT(RelativeError(J_bar, t.J_bar), t.tolerance);

        const double* rows[6] = {};
        for (int i = 0; i < m; ++i) rows[i] = t.J.data() + i * n;
        VectorXd Y(m * n), W(PackedSize(m));
        TaskResult<double> result;
        TaskInertia(m, n, rows, LD.data(), reciprocal.data(), Y.data(), result);
        MobilityFromSolved(m, n, LD.data(), Y.data(), W.data());
        RowMajor mobility(m, m), lambda(m, m);
        for (int i = 0; i < m; ++i) {
          for (int j = 0; j < m; ++j) {
            mobility(i, j) = W[PackedEntry(i, j)];
            lambda(i, j) = result.lambda[PackedEntry(i, j)];
          }
        }
        EXPECT_LT(RelativeError(mobility, t.W), t.tolerance);
        EXPECT_LT(RelativeError(lambda, t.lambda), t.tolerance);
      });
}

}  // namespace
}  // namespace torqued::testing_support

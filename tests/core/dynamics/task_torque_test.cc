// The torques of a task against what they do to the robot.
#include "core/dynamics/task_torque-inl.h"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "core/dynamics/aba-inl.h"
#include "core/dynamics/applied_wrenches-inl.h"
#include "core/dynamics/crba-inl.h"
#include "core/dynamics/jacobian-inl.h"
#include "core/dynamics/ldlt-inl.h"
#include "core/dynamics/link_motion-inl.h"
#include "core/dynamics/rnea-inl.h"
#include "tests/core/dynamics/random_cases.h"
#include "tests/support/compare.h"

namespace torqued::testing_support {
namespace {

using Eigen::VectorXd;

const DynamicsTerms kTerms = {{0.4, -1, -9.81}, true, true, true};
const BaseMotion<double> kMotion = {{{0.3, -0.5, 0.7}, {1, -2, 0.4}},
                                    {{-1, 2, 0.6}, {3, 0.2, -1}}};
constexpr double kTipWrench[6] = {3, -2, 1, 7, 5, -4};

/// The first m axes of the tip's motion as a task, with all that acts.
struct Task {
  Task(const RandomCase& c, int axes, ReferenceFrame reference)
      : robot(c), at(At(c.tree(), c.state.q)), m(axes) {
    const int n = c.n();
    const WrenchPlace tip = {c.tip, ReferenceFrame::kWorld};
    AppliedWrenches<double> wrenches;
    wrenches.on_environment = {&tip, 1, kTipWrench};
    ApplyWrenches(c.tree(), wrenches, at.scratch());
    RowMajor whole(6, n);
    FrameJacobian(c.tree(), c.tip, reference, at.scratch(), whole.data());
    J = whole.topRows(m);
    drift.resize(6);
    FrameDrift(c.tree(), c.tip, reference, c.state.v.data(), at.scratch(),
               drift.data(), &kMotion);
    h.resize(n);
    InverseDynamics(c.tree(), kTerms, c.state.v.data(),
                    static_cast<const double*>(nullptr), at.scratch(), h.data(),
                    &kMotion);
    RowMajor M(n, n);
    MassMatrix(c.tree(), at.scratch(), M.data());
    const RowMajor W = J * M.inverse() * J.transpose();
    lambda = W.inverse();
    LD = M;
    FactorLdlt(n, LD.data());
    condition = ConditionNumber(M) * ConditionNumber(W);
  }

  VectorXd Torque(const VectorXd& wanted, const double* null_space) const {
    const int n = robot.n();
    VectorXd work(n), tau(n);
    TaskTorque(m, n, J.data(), LD.data(), lambda.data(), h.data(), drift.data(),
               wanted.data(), null_space, work.data(), tau.data());
    return tau;
  }

  /// The task's acceleration under these torques.
  VectorXd Acceleration(const VectorXd& tau) {
    VectorXd a(robot.n());
    ForwardDynamics(robot.tree(), kTerms, robot.state.v.data(), tau.data(),
                    at.scratch(), a.data(), &kMotion);
    return J * a + drift.head(m);
  }

  const RandomCase& robot;
  Configured<double> at;
  int m;
  RowMajor J, LD, lambda;
  VectorXd drift, h;
  double condition = 0;
};

template <class Check>
void ForTasks(const Check& check) {
  int checked = 0;
  for (const RandomCase& c :
       MakeRandomCases({.friction = true, .armature = true})) {
    for (const int m : {1, 3, 6}) {
      if (m > c.n()) continue;
      for (const ReferenceFrame reference : kReferenceFrames) {
        Task task(c, m, reference);
        if (!(task.condition < 1e7)) continue;
        ++checked;
        Random random(static_cast<std::uint64_t>(checked));
        const VectorXd tau = random.Vector(c.n(), -20, 20);
        check(task, random.Vector(m, -5, 5), tau);
      }
    }
  }
  EXPECT_GT(checked, 100);
}

TEST(TaskTorque, AcceleratesTheTaskAsWantedWhateverTheNullSpaceTorque) {
  int redundant = 0;
  ForTasks([&](Task& task, const VectorXd& wanted, const VectorXd& tau_0) {
    const double tolerance = 1e3 * kEpsilon * task.condition;
    const VectorXd tau = task.Torque(wanted, tau_0.data());
    EXPECT_LT(RelativeError(task.Acceleration(tau), wanted, 10), tolerance);
    const VectorXd least = task.Torque(wanted, nullptr);
    EXPECT_LT(RelativeError(task.Acceleration(least), wanted, 10), tolerance);
    // Redundant robots move in other ways.
    redundant += (tau - least).norm() > 1e-3;
    // Twin: torques that are not projected disturb the task.
    EXPECT_GT(RelativeError(task.Acceleration(least + tau_0), wanted, 10),
              1e3 * tolerance);
  });
  EXPECT_GT(redundant, 50);
}

TEST(TaskTorque, IsTheSumOfTaskForcesAndProjectedTorques) {
  ForTasks([](Task& task, const VectorXd& wanted, const VectorXd& tau_0) {
    const int n = task.robot.n();
    RowMajor M(n, n);
    MassMatrix(task.robot.tree(), task.at.scratch(), M.data());
    const RowMajor J_bar = M.inverse() * task.J.transpose() * task.lambda;
    const VectorXd eta =
        task.lambda * (task.J * M.inverse() * task.h - task.drift.head(task.m));
    const VectorXd N_tau =
        tau_0 - task.J.transpose() * (J_bar.transpose() * tau_0);
    const VectorXd expected =
        task.J.transpose() * (task.lambda * wanted + eta) + N_tau;
    EXPECT_LT(RelativeError(task.Torque(wanted, tau_0.data()), expected, 1),
              1e3 * kEpsilon * task.condition);
  });
}

TEST(TaskTorque, NoWantedAccelerationIsASteadyMotion) {
  ForTasks([](Task& task, const VectorXd&, const VectorXd& tau_0) {
    const int n = task.robot.n();
    VectorXd work(n), tau(n);
    TaskTorque(task.m, n, task.J.data(), task.LD.data(), task.lambda.data(),
               task.h.data(), task.drift.data(),
               static_cast<const double*>(nullptr), tau_0.data(), work.data(),
               tau.data());
    EXPECT_EQ(tau, task.Torque(VectorXd::Zero(task.m), tau_0.data()));
  });
}

}  // namespace
}  // namespace torqued::testing_support

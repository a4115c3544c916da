// Operational space against what follows from terms of Orocos KDL.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <string>
#include <utility>
#include <vector>

#include "tests/oracles/kdl_comparison.h"
#include "tests/support/compare.h"

namespace torqued::testing_support {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Shape = RandomRobotOptions::Shape;

/// Λ and η of the given task axes from KDL's M, J, h and J̇v, by an explicit
/// inverse of the mobility W: the error that is seen is at least that of the
/// inverse.
struct Task {
  MatrixXd lambda;
  VectorXd eta;
  double condition;  // of the mobility
};

MatrixXd Rows(const MatrixXd& matrix, const TaskOptions& task) {
  MatrixXd rows(task.axis_count, matrix.cols());
  for (int i = 0; i < task.axis_count; ++i) {
    rows.row(i) = matrix.row(task.axes[i]);
  }
  return rows;
}

Task TaskOf(const KdlChain& chain, const State& s, ReferenceFrame frame,
            const TaskOptions& task) {
  const MatrixXd M = chain.MassMatrix(s.q);
  const VectorXd h = chain.GravityTorque(s.q) + chain.CoriolisTorque(s.q, s.v);
  const MatrixXd J = Rows(chain.Jacobian(s.q, frame), task);
  const MatrixXd drift = Rows(chain.JacobianDrift(s.q, s.v, frame), task);
  const Eigen::LLT<MatrixXd> factored(M);
  const MatrixXd W = J * factored.solve(J.transpose());
  Task result;
  result.lambda = W.inverse();
  result.eta = result.lambda * (J * factored.solve(h) - drift);
  result.condition = ConditionNumber(W);
  return result;
}

void CompareTasks(const std::vector<TestRobot>& robots, const TaskOptions& task,
                  LargestErrors& errors, int& compared) {
  ForStates(robots, [&](const TestRobot& robot, const State& s,
                        const std::string& where) {
    const KdlChain chain = MakeChain(robot);
    for (const ReferenceFrame frame : kFrames) {
      const Task theirs = TaskOf(chain, s, frame, task);
      Robot::Options options;
      options.terms.gravity = kSkewGravity;
      options.reference_frame = frame;
      options.task = task;
      Robot ours(robot.model, options);
      const auto result = ours.OperationalSpace(s.q, s.v);
      if (result.diagnostics.rule != TaskRule::kFullRank) continue;
      ++compared;
      const std::string of = " in " + Name(frame) + " / cond W";
      errors.Add("Lambda" + of,
                 RelativeError(result.lambda, theirs.lambda) / theirs.condition,
                 where);
      errors.Add("eta" + of,
                 RelativeError(result.eta, theirs.eta) / theirs.condition,
                 where);
      const VectorXd zero = VectorXd::Zero(s.v.size());
      errors.Add("eta of a resting robot", ours.OperationalSpace(s.q, zero).eta,
                 theirs.eta, where);
      const ReferenceFrame other = frame == ReferenceFrame::kLocal
                                       ? ReferenceFrame::kWorld
                                       : ReferenceFrame::kLocal;
      errors.Add("Lambda in another frame", result.lambda,
                 TaskOf(chain, s, other, task).lambda, where);
    }
  });
}

void ExpectTasksEqual(const LargestErrors& errors, double bound) {
  for (const ReferenceFrame frame : kFrames) {
    const std::string of = " in " + Name(frame) + " / cond W";
    errors.ExpectBelow("Lambda" + of, bound);
    errors.ExpectBelow("eta" + of, bound);
  }
  errors.ExpectAbove("eta of a resting robot", 1e-6);
  errors.ExpectAbove("Lambda in another frame", 1e-3);
}

TEST(KdlTest, OperationalSpaceFollowsFromKdlsTerms) {
  std::vector<TestRobot> robots = DeployedRobots();
  robots.erase(robots.begin());  // has two joints only
  LargestErrors errors;
  int compared = 0;
  CompareTasks(
      Joined(std::move(robots), RandomRobots(Shape::kChain, 50, 6, 10)),
      TaskOptions{}, errors, compared);
  // The rest is singular.
  EXPECT_GE(compared, 500);
  ExpectTasksEqual(errors, 2e-15);
}

TEST(KdlTest, OperationalSpaceOfSomeAxesFollowsFromKdlsTerms) {
  TaskOptions task;
  task.axes = {3, 1, 5};  // any order
  task.axis_count = 3;
  LargestErrors errors;
  int compared = 0;
  CompareTasks(RandomRobots(Shape::kChain, 50, 4, 8), task, errors, compared);
  EXPECT_GE(compared, 400);
  ExpectTasksEqual(errors, 2e-14);
}

}  // namespace
}  // namespace torqued::testing_support

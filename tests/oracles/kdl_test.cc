// Our results against Orocos KDL, which reads the same URDF text by urdfdom.
//
// Errors are relative to the largest entry of a result; those of quantities
// that solve with a matrix are also divided by its condition number, for so
// much of the rounding of any method may reach the result. The bounds are some
// five times the largest error seen, unless a comment says more.

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/robots.h"
#include "core/engine/evaluation_plan.h"
#include "tests/oracles/robots.h"
#include "tests/support/libraries/kdl_robot.h"

namespace torqued::testing_support {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using oracles::ToKdl;
using enum Output;
using enum ReferenceFrame;
using Vector = const VectorXd&;
using Shape = RandomRobotOptions::Shape;

struct Tree : oracles::KdlTree {
  explicit Tree(const TestRobot& robot, const Triple& gravity = kSkewGravity)
      : KdlTree(robot.urdf, robot.tip, gravity) {}
};
struct Chain : oracles::KdlChain {
  explicit Chain(const TestRobot& robot)
      : KdlChain(robot.urdf, robot.tip, kSkewGravity) {}
};

std::vector<TestRobot> Chains() {
  return WithDeployed(RandomRobots(Shape::kChain, 60, 2, 11));
}

std::string InFrame(ReferenceFrame frame) {
  return " in frame " + std::to_string(static_cast<int>(frame));
}

void CompareFrames(Comparison& compare, oracles::KdlTree& theirs, Vector q,
                   const Setting& at) {
  for (const Frame& frame : at.model->frames().subspan(1)) {
    compare.Equal("pose", PoseOf(at, frame.name),
                  theirs.FramePose(q, frame.name), 2e-14);
  }
}

TEST(KdlTest, DynamicsOfChainsEqualKdls) {
  Comparison compare;
  ForStates(compare, Chains(), [&](const TestRobot& robot, const State& s) {
    Chain theirs(robot);
    const Setting free = In(robot, s);
    const Answers ours = AskAll(free);
    const Answers pushed = AskAll(free.With(Input::kTipWrench, s.wrench));
    const Eigen::Index n = s.v.size();
    const MatrixXd M = theirs.MassMatrix(s.q);
    const VectorXd g = theirs.GravityForces(s.q);
    const VectorXd c = theirs.CoriolisForces(s.q, s.v);
    const MatrixXd C = ours.Matrix(kCoriolisMatrix, n);
    const VectorXd tau = theirs.InverseDynamics(s.q, s.v, s.a);
    const VectorXd a = theirs.ForwardDynamics(s.q, s.v, s.tau);
    const double condition = ConditionNumber(M);
    compare.Equal("M", ours.Matrix(kMassMatrix, n), M, 3e-14);
    compare.Equal("gravity", ours[kGravity], g, 6e-14);
    compare.Equal("c", ours[kCoriolis], c, 1.2e-13);
    compare.Equal("bias", ours[kBias], theirs.BiasForces(s.q, s.v), 1e-13);
    compare.Equal("C v", C * s.v, c, 1.2e-13);
    compare.Differ("C^T v", C.transpose() * s.v, c);
    compare.Equal("M^-1 M / cond M", ours.Matrix(kMassMatrixInverse, n) * M,
                  MatrixXd::Identity(n, n), 2e-15, 0, condition);
    compare.Equal("tau", ours[kTau], tau, 6e-14);
    compare.Equal("a", ours[kAcceleration], a, 1e-13);
    compare.Equal("a / cond M", ours[kAcceleration], a, 2e-15, 0, condition);
    compare.Equal("a with a wrench / cond M", pushed[kAcceleration],
                  theirs.ForwardDynamics(s.q, s.v, s.tau, s.wrench), 2e-15, 0,
                  condition);
    compare.Differ("a without the wrench", pushed[kAcceleration], a);
    // With KDL's own inertias of links, summed by KDL over what is fixed to
    // them.
    compare.Equal("regressor times inertias",
                  ours.Matrix(kRegressor, n) * theirs.InertialParameters(), tau,
                  4e-14);
    CompareFrames(compare, theirs, s.q, free);
  });
}

TEST(KdlTest, KinematicsOfChainsEqualKdlsInEveryFrame) {
  Comparison compare;
  ForStates(compare, Chains(), [&](const TestRobot& robot, const State& s) {
    Chain theirs(robot);
    for (const ReferenceFrame frame : kReferenceFrames) {
      const Answers ours = AskAll(In(robot, s, frame));
      const MatrixXd J = theirs.Jacobian(s.q, frame);
      const MatrixXd rate = theirs.JacobianRate(s.q, s.v, frame);
      // Of axes that move with their origin, the rate of J v is the spatial
      // acceleration; for base axes at the tip, that of its position.
      const bool aligned = frame == kLocalWorldAligned;
      const Output acceleration =
          aligned ? kFrameAccelerationClassical : kFrameAcceleration;
      const Output other =
          aligned ? kFrameAcceleration : kFrameAccelerationClassical;
      const std::string in = InFrame(frame);
      const auto equal = [&](const char* what, Output output,
                             const MatrixXd& expected, double bound) {
        compare.Equal(what + in, ours.Matrix(output, 6), expected, bound);
      };
      equal("J", kJacobian, J, 3e-14);
      equal("drift", kJacobianDrift, theirs.JacobianDrift(s.q, s.v, frame),
            6e-14);
      equal("rate of J", kJacobianRate, rate, 5e-14);
      equal("velocity", kFrameVelocity, theirs.FrameVelocity(s.q, s.v, frame),
            3e-14);
      equal("acceleration", acceleration, J * s.a + rate * s.v, 4e-14);
      compare.Differ("the other acceleration" + in, ours[other],
                     J * s.a + rate * s.v);
      for (const ReferenceFrame wrong : kReferenceFrames) {
        if (wrong == frame) continue;
        compare.Differ("J for that in another frame", ours.Matrix(kJacobian, 6),
                       theirs.Jacobian(s.q, wrong));
        compare.Differ("velocity for that in another frame",
                       ours[kFrameVelocity],
                       theirs.FrameVelocity(s.q, s.v, wrong));
      }
    }
  });
}

TEST(KdlTest, RandomTreesEqualKdls) {
  Comparison compare;
  const auto robots = RandomRobots(Shape::kTree, 60, 3, 22);
  ForStates(compare, robots, [&](const TestRobot& robot, const State& s) {
    Tree theirs(robot);
    const auto to = bench::JointIndices(*robot.model, theirs.joint_names());
    const VectorXd q = s.q(to), v = s.v(to), a = s.a(to);
    const Setting free = In(robot, s);
    const Answers aligned = AskAll(In(robot, s, kLocalWorldAligned));
    const Eigen::Index n = s.v.size();
    compare.Equal("tau", aligned[kTau](to), theirs.InverseDynamics(q, v, a),
                  4e-14);
    compare.Equal("J", aligned.Matrix(kJacobian, 6)(Eigen::all, to),
                  theirs.Jacobian(q), 3e-14);
    CompareFrames(compare, theirs, q, free);
    // Its columns are torques without gravity and motion.
    Tree weightless(robot, {0, 0, 0});
    MatrixXd M(n, n);
    for (int j = 0; j < n; ++j) {
      M.col(j) = weightless.InverseDynamics(q, VectorXd::Zero(n),
                                            VectorXd::Unit(n, j));
    }
    compare.Equal("M", aligned.Matrix(kMassMatrix, n)(to, to), M, 3e-14);
    const auto tau = [&](const Setting& setting) -> VectorXd {
      return Ask(setting, {Quantity::kInverseDynamics}, BestTarget())[kTau](to);
    };
    // The tip wrench acts on the environment, KDL's forces on links.
    const VectorXd pushed =
        theirs.InverseDynamics(q, v, a, {{robot.tip, -ToKdl(s.wrench)}});
    compare.Equal("tau with a tip wrench",
                  tau(free.With(Input::kTipWrench, s.wrench)), pushed, 4e-14);
    compare.Differ(
        "tau with the wrench in other axes",
        tau(In(robot, s, kLocalWorldAligned).With(Input::kTipWrench, s.wrench)),
        pushed);
    // On every other link, fixed ones among them.
    Setting carrying = free;
    KDL::WrenchMap on_robot;
    VectorXd& wrenches = carrying[Input::kExternalWrenches];
    const auto frames = robot.model->frames();
    Random random(static_cast<std::uint64_t>(frames.size()));
    for (std::size_t k = 1; k < frames.size(); k += 2) {
      carrying.options.external_wrenches.push_back({.frame = frames[k].name});
      wrenches.conservativeResize(wrenches.size() + 6);
      wrenches.tail(6) = random.Vector(6, -10, 10);
      on_robot[frames[k].name] = ToKdl(wrenches.tail(6));
    }
    compare.Equal("tau with external wrenches", tau(carrying),
                  theirs.InverseDynamics(q, v, a, on_robot), 4e-14);
  });
}

/// Columns are the derivatives of f(x) by the entries of x, by differences of
/// fourth order.
template <typename Function>
MatrixXd Gradient(const Function& f, const VectorXd& x) {
  constexpr double kStep = 1e-3;
  MatrixXd gradient;
  for (Eigen::Index k = 0; k < x.size(); ++k) {
    const auto at = [&](double steps) -> VectorXd {
      return f(x + steps * kStep * VectorXd::Unit(x.size(), k));
    };
    const VectorXd column =
        (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * kStep);
    gradient.conservativeResize(column.size(), k + 1);
    gradient.col(k) = column;
  }
  return gradient;
}

// What is seen is the rounding of the differences, some thousand times that of
// KDL, and most where accelerations are large.
TEST(KdlTest, DerivativesAreDifferencesOfKdl) {
  Comparison compare;
  ForStates(compare, Chains(), [&](const TestRobot& robot, const State& s) {
    Chain theirs(robot);
    const Answers ours = AskAll(In(robot, s).With(Input::kTipWrench, s.wrench));
    const Eigen::Index n = s.v.size();
    const auto equal = [&](const std::string& what, Output output,
                           const MatrixXd& expected, double bound) {
      // A derivative may vanish: errors of small ones are absolute.
      compare.Equal(what, ours.Matrix(output, expected.rows()), expected, bound,
                    1);
    };
    const auto tau = [&](Vector q, Vector v) {
      return theirs.InverseDynamics(q, v, s.a, s.wrench);
    };
    const auto a = [&](Vector q, Vector v, Vector torque) {
      return theirs.ForwardDynamics(q, v, torque, s.wrench);
    };
    const auto M = [&](Vector q) -> VectorXd {
      return theirs.MassMatrix(q).reshaped();
    };
    equal("dtau/dq", kTauByQ,
          Gradient([&](Vector q) { return tau(q, s.v); }, s.q), 2e-11);
    equal("dtau/dv", kTauByV,
          Gradient([&](Vector v) { return tau(s.q, v); }, s.v), 2e-10);
    equal("da/dq", kAccelerationByQ,
          Gradient([&](Vector q) { return a(q, s.v, s.tau); }, s.q), 3e-8);
    equal("da/dv", kAccelerationByV,
          Gradient([&](Vector v) { return a(s.q, v, s.tau); }, s.v), 2e-8);
    equal("da/dtau", kAccelerationByTau,
          Gradient([&](Vector t) { return a(s.q, s.v, t); }, s.tau), 1e-10);
    const MatrixXd dM_dq = Gradient(M, s.q);  // dm_ij/dq_k at (i n + j, k)
    const VectorXd rate = dM_dq * s.v;
    equal("dM/dt", kMassMatrixRate, rate.reshaped(n, n), 3e-11);
    MatrixXd symbols(n * n, n);
    for (Eigen::Index i = 0; i < n; ++i) {
      for (Eigen::Index j = 0; j < n; ++j) {
        for (Eigen::Index k = 0; k < n; ++k) {
          symbols(i * n + j, k) = (dM_dq(i * n + j, k) + dM_dq(i * n + k, j) -
                                   dM_dq(j * n + k, i)) /
                                  2;
        }
      }
    }
    equal("c_ijk", kChristoffel, symbols, 1e-11);
  });
}

/// Λ and η of the task from KDL's M, J, h and J̇v, by an explicit inverse of the
/// mobility W: the error that is seen is at least that of the inverse.
void CompareTasks(const std::vector<TestRobot>& robots,
                  const std::vector<std::uint8_t>& axes, int least,
                  double bound) {
  Comparison compare;
  int compared = 0;
  ForStates(compare, robots, [&](const TestRobot& robot, const State& s) {
    Chain theirs(robot);
    for (const ReferenceFrame frame : kReferenceFrames) {
      Setting setting = In(robot, s, frame);
      TaskOptions& task = setting.options.task;
      std::copy(axes.begin(), axes.end(), task.axes.begin());
      task.axis_count = static_cast<int>(axes.size());
      const Answers ours =
          Ask(setting, {Quantity::kOperationalSpace}, BestTarget());
      if (ours.diagnostics.rule != TaskRule::kFullRank) continue;
      ++compared;
      const auto& all = theirs.OperationalSpace(s.q, s.v, frame);
      const MatrixXd W = all.W(axes, axes);
      const MatrixXd lambda = W.inverse();
      const double condition = ConditionNumber(W);
      const std::string in = InFrame(frame) + " / cond W";
      compare.Equal("Lambda" + in, ours.Matrix(kLambda, task.axis_count),
                    lambda, bound, 0, condition);
      compare.Equal("eta" + in, ours[kEta], lambda * all.r(axes), bound, 0,
                    condition);
    }
  });
  EXPECT_GE(compared, least) << "the rest is singular";
}

TEST(KdlTest, OperationalSpaceFollowsFromKdlsTerms) {
  CompareTasks(WithDeployed(RandomRobots(Shape::kChain, 50, 6, 10)),
               {0, 1, 2, 3, 4, 5}, 500, 2e-15);
}

TEST(KdlTest, OperationalSpaceOfSomeAxesFollowsFromKdlsTerms) {
  CompareTasks(RandomRobots(Shape::kChain, 50, 4, 8), {3, 1, 5}, 400, 2e-14);
}

}  // namespace
}  // namespace torqued::testing_support

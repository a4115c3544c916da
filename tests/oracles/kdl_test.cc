// Our results against Orocos KDL, which reads the same URDF text by urdfdom.
//
// Errors are relative to the largest entry of a result; those of quantities
// that solve with a matrix are also divided by its condition number, for so
// much of the rounding of any method may reach the result. The bounds are some
// five times the largest error seen, unless a comment says more.

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cstdint>
#include <kdl/chain.hpp>
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainfksolvervel_recursive.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <kdl/chainjnttojacdotsolver.hpp>
#include <kdl/chainjnttojacsolver.hpp>
#include <kdl/treefksolverpos_recursive.hpp>
#include <kdl/treeidsolver_recursive_newton_euler.hpp>
#include <kdl/treejnttojacsolver.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/engine/evaluation_plan.h"
#include "tests/oracles/kdl_robot.h"
#include "tests/oracles/robots.h"

namespace torqued::testing_support {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using enum Output;
using enum ReferenceFrame;
using Vector = const VectorXd&;
using Shape = RandomRobotOptions::Shape;

// Conversions to and from our (angular; linear) and (moment; force).

KDL::JntArray Array(Vector values) {
  KDL::JntArray array;
  array.data = values;
  return array;
}

KDL::Wrench ToKdl(Vector w) {
  return {KDL::Vector(w[3], w[4], w[5]), KDL::Vector(w[0], w[1], w[2])};
}

MatrixXd FromKdl(const KDL::Frame& frame) {
  MatrixXd pose(3, 4);
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) pose(r, c) = frame.M(r, c);
    pose(r, 3) = frame.p(r);
  }
  return pose;
}

MatrixXd FromKdl(const KDL::Jacobian& jacobian) {
  MatrixXd J(6, jacobian.columns());
  J << jacobian.data.bottomRows(3), jacobian.data.topRows(3);
  return J;
}

MatrixXd FromKdl(const KDL::Twist& twist) {
  const KDL::Vector &w = twist.rot, &v = twist.vel;
  return Vector6d{{w.x(), w.y(), w.z(), v.x(), v.y(), v.z()}};
}

/// What a solver writes into `result`.
template <class Result, class Solve>
Result Solved(Result result, const Solve& solve) {
  if (solve(result) < 0) throw std::runtime_error("a solver of KDL fails");
  return result;
}

std::vector<std::string> JointNames(const Model& model) {
  std::vector<std::string> names;
  for (const Joint& joint : model.joints()) names.push_back(joint.name);
  return names;
}

/// KDL has inverse dynamics, poses and Jacobians of trees.
class Tree : public KdlTree {
 public:
  explicit Tree(const TestRobot& robot,
                const std::array<double, 3>& gravity = kSkewGravity)
      : KdlTree(robot.urdf, JointNames(*robot.model), gravity) {}

  VectorXd InverseDynamics(Vector q, Vector v, Vector a,
                           const KDL::WrenchMap& on_robot = {}) const {
    const auto tau = Solved(Ordered(q), [&](auto& torques) {
      return KDL::TreeIdSolver_RNE(tree(), gravity())
          .CartToJnt(Ordered(q), Ordered(v), Ordered(a), on_robot, torques);
    });
    VectorXd ours(q.size());
    for (int i = 0; i < q.size(); ++i) ours[i] = tau(index(i));
    return ours;
  }

  MatrixXd FramePose(Vector q, const std::string& link) const {
    return FromKdl(Solved(KDL::Frame(), [&](auto& frame) {
      return KDL::TreeFkSolverPos_recursive(tree()).JntToCart(Ordered(q), frame,
                                                              link);
    }));
  }

  /// kLocalWorldAligned.
  MatrixXd Jacobian(Vector q, const std::string& link) const {
    const MatrixXd theirs =
        FromKdl(Solved(KDL::Jacobian(tree().getNrOfJoints()), [&](auto& J) {
          return KDL::TreeJntToJacSolver(tree()).JntToJac(Ordered(q), J, link);
        }));
    MatrixXd J(6, q.size());
    for (int i = 0; i < q.size(); ++i) J.col(i) = theirs.col(index(i));
    return J;
  }

 private:
  KDL::JntArray Ordered(Vector values) const {
    KDL::JntArray array(static_cast<unsigned>(values.size()));
    for (int i = 0; i < values.size(); ++i) array(index(i)) = values[i];
    return array;
  }
};

/// The robot from its root to its tip, with all its joints on the way. Wrenches
/// are those that the tip exerts, in its axes; empty: none.
class Chain {
 public:
  explicit Chain(const TestRobot& robot) {
    const Tree whole(robot);
    if (!whole.tree().getChain(robot.model->frames().front().name, robot.tip,
                               chain_) ||
        chain_.getNrOfJoints() != whole.tree().getNrOfJoints()) {
      throw std::runtime_error("the robot is not a chain");
    }
    gravity_ = whole.gravity();
  }

  VectorXd InverseDynamics(Vector q, Vector v, Vector a, Vector wrench) const {
    return Joints([&](auto& tau) {
      return KDL::ChainIdSolver_RNE(chain_, gravity_)
          .CartToJnt(Array(q), Array(v), Array(a), TipWrench(wrench), tau);
    });
  }
  VectorXd ForwardDynamics(Vector q, Vector v, Vector tau,
                           Vector wrench) const {
    return Joints([&](auto& a) {
      return KDL::ChainFdSolver_RNE(chain_, gravity_)
          .CartToJnt(Array(q), Array(v), Array(tau), TipWrench(wrench), a);
    });
  }
  VectorXd GravityTorque(Vector q) const {
    return Joints([&](auto& tau) {
      return KDL::ChainDynParam(chain_, gravity_).JntToGravity(Array(q), tau);
    });
  }
  VectorXd CoriolisTorque(Vector q, Vector v) const {
    return Joints([&](auto& tau) {
      return KDL::ChainDynParam(chain_, gravity_)
          .JntToCoriolis(Array(q), Array(v), tau);
    });
  }
  MatrixXd MassMatrix(Vector q) const {
    return Solved(KDL::JntSpaceInertiaMatrix(n()),
                  [&](auto& M) {
                    return KDL::ChainDynParam(chain_, gravity_)
                        .JntToMass(Array(q), M);
                  })
        .data;
  }

  MatrixXd Jacobian(Vector q, ReferenceFrame frame) const {
    KDL::Jacobian jacobian = Solved(KDL::Jacobian(n()), [&](auto& J) {
      return KDL::ChainJntToJacSolver(chain_).JntToJac(Array(q), J);
    });
    const KDL::Frame tip = Solved(KDL::Frame(), [&](auto& pose) {
      return KDL::ChainFkSolverPos_recursive(chain_).JntToCart(Array(q), pose);
    });
    if (frame == kLocal) jacobian.changeBase(tip.M.Inverse());
    if (frame == kWorld) jacobian.changeRefPoint(-tip.p);
    return FromKdl(jacobian);
  }
  /// J̇ as KDL::Jacobian, or J̇ v as KDL::Twist.
  template <class Result>
  MatrixXd JacobianRate(const State& s, ReferenceFrame frame,
                        const Result& empty) const {
    KDL::ChainJntToJacDotSolver solver(chain_);  // kLocalWorldAligned
    if (frame == kLocal) solver.setBodyFixedRepresentation();
    if (frame == kWorld) solver.setInertialRepresentation();
    return FromKdl(Solved(empty, [&](Result& result) {
      return solver.JntToJacDot(KDL::JntArrayVel(Array(s.q), Array(s.v)),
                                result);
    }));
  }
  VectorXd FrameVelocity(const State& s, ReferenceFrame frame) const {
    const KDL::FrameVel tip = Solved(KDL::FrameVel(), [&](auto& at) {
      return KDL::ChainFkSolverVel_recursive(chain_).JntToCart(
          KDL::JntArrayVel(Array(s.q), Array(s.v)), at);
    });
    KDL::Twist twist = tip.GetTwist();
    if (frame == kLocal) twist = tip.GetFrame().M.Inverse() * twist;
    if (frame == kWorld) twist = twist.RefPoint(-tip.GetFrame().p);
    return FromKdl(twist);
  }

  /// Ten numbers for each moving link with all that is fixed to it: m, m c,
  /// I_xx, I_xy, I_yy, I_xz, I_yz, I_zz, in the axes of the link and about its
  /// origin.
  VectorXd InertialParameters() const {
    std::vector<KDL::RigidBodyInertia> links;
    KDL::Frame fixed;  // of this segment in the last link that moves
    for (const KDL::Segment& segment : chain_.segments) {
      if (segment.getJoint().getType() != KDL::Joint::Fixed) {
        links.push_back(segment.getInertia());
        fixed = KDL::Frame::Identity();
      } else if (!links.empty()) {
        fixed = fixed * segment.pose(0);
        links.back() = links.back() + fixed * segment.getInertia();
      }
    }
    VectorXd parameters(10 * static_cast<Eigen::Index>(links.size()));
    Eigen::Index at = 0;
    for (const KDL::RigidBodyInertia& link : links) {
      const double m = link.getMass();
      const KDL::Vector h = m * link.getCOG();
      const KDL::RotationalInertia inertia = link.getRotationalInertia();
      const double* const I = inertia.data;  // 3 x 3
      parameters.segment<10>(at) << m, h.x(), h.y(), h.z(), I[0], I[1], I[4],
          I[2], I[5], I[8];
      at += 10;
    }
    return parameters;
  }

  unsigned n() const { return chain_.getNrOfJoints(); }

 private:
  template <class Solve>
  VectorXd Joints(const Solve& solve) const {
    return Solved(KDL::JntArray(n()), solve).data;
  }
  std::vector<KDL::Wrench> TipWrench(Vector wrench) const {
    std::vector<KDL::Wrench> forces(chain_.getNrOfSegments());
    if (wrench.size() > 0) forces.back() = -ToKdl(wrench);
    return forces;
  }

  KDL::Chain chain_;
  KDL::Vector gravity_;
};

std::vector<TestRobot> Chains() {
  return WithDeployed(RandomRobots(Shape::kChain, 60, 2, 11));
}

std::string InFrame(ReferenceFrame frame) {
  return " in frame " + std::to_string(static_cast<int>(frame));
}

void CompareFrames(Comparison& compare, const Tree& theirs, const Setting& at) {
  for (const Frame& frame : at.model->frames().subspan(1)) {
    compare.Equal("pose", PoseOf(at, frame.name),
                  theirs.FramePose(at[Input::kQ], frame.name), 2e-14);
  }
}

TEST(KdlTest, DynamicsOfChainsEqualKdls) {
  Comparison compare;
  ForStates(compare, Chains(), [&](const TestRobot& robot, const State& s) {
    const Chain theirs(robot);
    const Setting free = In(robot, s);
    const Answers ours = AskAll(free);
    const Answers pushed = AskAll(free.With(Input::kTipWrench, s.wrench));
    const Eigen::Index n = s.v.size();
    const MatrixXd M = theirs.MassMatrix(s.q);
    const VectorXd g = theirs.GravityTorque(s.q);
    const VectorXd c = theirs.CoriolisTorque(s.q, s.v);
    const MatrixXd C = ours.Matrix(kCoriolisMatrix, n);
    const VectorXd tau = theirs.InverseDynamics(s.q, s.v, s.a, {});
    const VectorXd a = theirs.ForwardDynamics(s.q, s.v, s.tau, {});
    const double condition = ConditionNumber(M);
    compare.Equal("M", ours.Matrix(kMassMatrix, n), M, 3e-14);
    compare.Equal("gravity", ours[kGravity], g, 6e-14);
    compare.Equal("c", ours[kCoriolis], c, 1.2e-13);
    compare.Equal("bias", ours[kBias], g + c, 1e-13);
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
    CompareFrames(compare, Tree(robot), free);
  });
}

TEST(KdlTest, KinematicsOfChainsEqualKdlsInEveryFrame) {
  Comparison compare;
  ForStates(compare, Chains(), [&](const TestRobot& robot, const State& s) {
    const Chain theirs(robot);
    for (const ReferenceFrame frame : kReferenceFrames) {
      const Answers ours = AskAll(In(robot, s, frame));
      const MatrixXd J = theirs.Jacobian(s.q, frame);
      const MatrixXd rate =
          theirs.JacobianRate(s, frame, KDL::Jacobian(theirs.n()));
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
      equal("drift", kJacobianDrift,
            theirs.JacobianRate(s, frame, KDL::Twist()), 6e-14);
      equal("rate of J", kJacobianRate, rate, 5e-14);
      equal("velocity", kFrameVelocity, theirs.FrameVelocity(s, frame), 3e-14);
      equal("acceleration", acceleration, J * s.a + rate * s.v, 4e-14);
      compare.Differ("the other acceleration" + in, ours[other],
                     J * s.a + rate * s.v);
      for (const ReferenceFrame wrong : kReferenceFrames) {
        if (wrong == frame) continue;
        compare.Differ("J for that in another frame", ours.Matrix(kJacobian, 6),
                       theirs.Jacobian(s.q, wrong));
        compare.Differ("velocity for that in another frame",
                       ours[kFrameVelocity], theirs.FrameVelocity(s, wrong));
      }
    }
  });
}

TEST(KdlTest, RandomTreesEqualKdls) {
  Comparison compare;
  const auto robots = RandomRobots(Shape::kTree, 60, 3, 22);
  ForStates(compare, robots, [&](const TestRobot& robot, const State& s) {
    const Tree theirs(robot);
    const Setting free = In(robot, s);
    const Answers aligned = AskAll(In(robot, s, kLocalWorldAligned));
    const Eigen::Index n = s.v.size();
    compare.Equal("tau", aligned[kTau], theirs.InverseDynamics(s.q, s.v, s.a),
                  4e-14);
    compare.Equal("J", aligned.Matrix(kJacobian, 6),
                  theirs.Jacobian(s.q, robot.tip), 3e-14);
    CompareFrames(compare, theirs, free);
    // Its columns are torques without gravity and motion.
    const Tree weightless(robot, {0, 0, 0});
    MatrixXd M(n, n);
    for (int j = 0; j < n; ++j) {
      M.col(j) = weightless.InverseDynamics(s.q, VectorXd::Zero(n),
                                            VectorXd::Unit(n, j));
    }
    compare.Equal("M", aligned.Matrix(kMassMatrix, n), M, 3e-14);
    const auto tau = [](const Setting& setting) {
      return Ask(setting, {Quantity::kInverseDynamics}, BestTarget())[kTau];
    };
    // The tip wrench acts on the environment, KDL's forces on links.
    const VectorXd pushed =
        theirs.InverseDynamics(s.q, s.v, s.a, {{robot.tip, -ToKdl(s.wrench)}});
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
                  theirs.InverseDynamics(s.q, s.v, s.a, on_robot), 4e-14);
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
    const Chain theirs(robot);
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
    const Chain theirs(robot);
    const Eigen::LLT<MatrixXd> M(theirs.MassMatrix(s.q));
    const VectorXd h =
        theirs.GravityTorque(s.q) + theirs.CoriolisTorque(s.q, s.v);
    for (const ReferenceFrame frame : kReferenceFrames) {
      Setting setting = In(robot, s, frame);
      TaskOptions& task = setting.options.task;
      std::copy(axes.begin(), axes.end(), task.axes.begin());
      task.axis_count = static_cast<int>(axes.size());
      const Answers ours =
          Ask(setting, {Quantity::kOperationalSpace}, BestTarget());
      if (ours.diagnostics.rule != TaskRule::kFullRank) continue;
      ++compared;
      const MatrixXd J = theirs.Jacobian(s.q, frame)(axes, Eigen::all);
      const VectorXd drift =
          theirs.JacobianRate(s, frame, KDL::Twist())(axes, 0);
      const MatrixXd W = J * M.solve(J.transpose());
      const MatrixXd lambda = W.inverse();
      const double condition = ConditionNumber(W);
      const std::string in = InFrame(frame) + " / cond W";
      compare.Equal("Lambda" + in, ours.Matrix(kLambda, task.axis_count),
                    lambda, bound, 0, condition);
      compare.Equal("eta" + in, ours[kEta], lambda * (J * M.solve(h) - drift),
                    bound, 0, condition);
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

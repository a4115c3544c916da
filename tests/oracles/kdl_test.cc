// Our results against Orocos KDL, which reads the same URDF text by urdfdom.
//
// Errors are relative to the largest entry of a result; those of quantities
// that solve with a matrix are also divided by its condition number, for so
// much of the rounding of any method may reach the result. The bounds are some
// five times the largest error seen, unless a comment says more: 2.4e-14 for
// Coriolis forces, 1.2e-14 for gravity, 1e-14 for the rate of the Jacobian,
// 8e-15 for torques by the regressor.

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/batch/robot.h"
#include "tests/oracles/kdl_robot.h"
#include "tests/oracles/quantities.h"
#include "tests/oracles/robots.h"
#include "tests/support/compare.h"
#include "tests/support/load_model.h"

namespace torqued::testing_support {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Shape = RandomRobotOptions::Shape;

constexpr ReferenceFrame kFrames[] = {ReferenceFrame::kLocal,
                                      ReferenceFrame::kLocalWorldAligned,
                                      ReferenceFrame::kWorld};

std::string Name(ReferenceFrame frame) {
  switch (frame) {
    case ReferenceFrame::kLocal:
      return "local";
    case ReferenceFrame::kLocalWorldAligned:
      return "local world-aligned";
    case ReferenceFrame::kWorld:
      return "world";
  }
  return {};
}

Robot MakeRobot(const TestRobot& robot,
                ReferenceFrame frame = ReferenceFrame::kLocal,
                const std::array<double, 3>& gravity = kSkewGravity) {
  Robot::Options options;
  options.terms.gravity = gravity;
  options.reference_frame = frame;
  return Robot(robot.model, options);
}

KdlTree MakeTree(const TestRobot& robot) {
  return KdlTree(robot.urdf, JointNames(*robot.model), kSkewGravity);
}

KdlChain MakeChain(const TestRobot& robot) {
  return KdlChain(MakeTree(robot), robot.model->frames().front().name,
                  robot.tip);
}

/// Those of deploy/models and random ones; all are chains.
std::vector<TestRobot> Chains() {
  return Joined(DeployedRobots(), RandomRobots(Shape::kChain, 60, 2, 11));
}

std::vector<TestRobot> Trees() { return RandomRobots(Shape::kTree, 60, 3, 22); }

TEST(KdlTest, InverseDynamicsEqualsKdlOnChains) {
  LargestErrors errors;
  ForStates(Chains(), [&](const TestRobot& robot, const State& s,
                          const std::string& where) {
    const VectorXd theirs = MakeChain(robot).InverseDynamics(s.q, s.v, s.a);
    errors.Add(
        "inverse dynamics",
        RelativeError(MakeRobot(robot).InverseDynamics(s.q, s.v, s.a), theirs),
        where);
  });
  errors.ExpectBelow("inverse dynamics", 6e-14);
}

TEST(KdlTest, InverseDynamicsEqualsKdlOnRandomTrees) {
  LargestErrors errors;
  ForStates(Trees(), [&](const TestRobot& robot, const State& s,
                         const std::string& where) {
    const VectorXd theirs = MakeTree(robot).InverseDynamics(s.q, s.v, s.a);
    errors.Add(
        "inverse dynamics",
        RelativeError(MakeRobot(robot).InverseDynamics(s.q, s.v, s.a), theirs),
        where);
  });
  errors.ExpectBelow("inverse dynamics", 4e-14);
}

TEST(KdlTest, GravityOfTheOtherSignIsFarFromKdl) {
  LargestErrors errors;
  ForStates(Trees(), [&](const TestRobot& robot, const State& s,
                         const std::string& where) {
    const VectorXd theirs = MakeTree(robot).InverseDynamics(s.q, s.v, s.a);
    Robot ours =
        MakeRobot(robot, ReferenceFrame::kLocal,
                  {-kSkewGravity[0], -kSkewGravity[1], -kSkewGravity[2]});
    errors.Add("inverse dynamics",
               RelativeError(ours.InverseDynamics(s.q, s.v, s.a), theirs),
               where);
  });
  errors.ExpectAbove("inverse dynamics", 1e-3);
}

/// The text with every inertial frame parallel to its link.
std::string WithoutTurnedInertias(std::string urdf) {
  constexpr std::string_view kInertial = "<inertial><origin";
  for (std::size_t at = urdf.find(kInertial); at != std::string::npos;
       at = urdf.find(kInertial, at + 1)) {
    const std::size_t turn = urdf.find(" rpy=\"", at);
    const std::size_t end = urdf.find('"', turn + 6) + 1;
    urdf.replace(turn, end - turn, " rpy=\"0 0 0\"");
  }
  return urdf;
}

TEST(KdlTest, InertiasInTheWrongAxesAreFarFromKdl) {
  LargestErrors errors;
  ForStates(Trees(), [&](const TestRobot& robot, const State& s,
                         const std::string& where) {
    const VectorXd theirs = MakeTree(robot).InverseDynamics(s.q, s.v, s.a);
    TestRobot other = robot;
    other.model = LoadModel(WithoutTurnedInertias(robot.urdf), robot.tip);
    errors.Add(
        "inverse dynamics",
        RelativeError(MakeRobot(other).InverseDynamics(s.q, s.v, s.a), theirs),
        where);
  });
  errors.ExpectAbove("inverse dynamics", 1e-6);
}

TEST(KdlTest, TipWrenchOnTheEnvironmentIsMinusKdlsForceOnTheTip) {
  LargestErrors errors;
  ForStates(Trees(), [&](const TestRobot& robot, const State& s,
                         const std::string& where) {
    const VectorXd theirs =
        MakeTree(robot).InverseDynamics(s.q, s.v, s.a, robot.tip, s.wrench);
    Robot ours = MakeRobot(robot);
    errors.Add(
        "inverse dynamics",
        RelativeError(ours.InverseDynamics(s.q, s.v, s.a, s.wrench), theirs),
        where);
    errors.Add(
        "with the wrench on the robot",
        RelativeError(ours.InverseDynamics(s.q, s.v, s.a, -s.wrench), theirs),
        where);
    Robot world_aligned = MakeRobot(robot, ReferenceFrame::kLocalWorldAligned);
    errors.Add(
        "with the wrench in other axes",
        RelativeError(world_aligned.InverseDynamics(s.q, s.v, s.a, s.wrench),
                      theirs),
        where);
  });
  errors.ExpectBelow("inverse dynamics", 4e-14);
  errors.ExpectAbove("with the wrench on the robot", 1e-3);
  errors.ExpectAbove("with the wrench in other axes", 1e-3);
}

TEST(KdlTest, WrenchesOnManyLinksAreKdlsForces) {
  LargestErrors errors;
  ForStates(Trees(), [&](const TestRobot& robot, const State& s,
                         const std::string& where) {
    // On every other link, fixed ones among them.
    std::vector<Push> pushes;
    std::map<std::string, VectorXd> on_robot;
    const auto frames = robot.model->frames();
    Random random(static_cast<std::uint64_t>(frames.size()));
    for (std::size_t k = 1; k < frames.size(); k += 2) {
      pushes.push_back({frames[k].name, random.Vector(6, -10, 10)});
      on_robot[frames[k].name] = pushes.back().wrench;
    }
    const VectorXd theirs =
        MakeTree(robot).InverseDynamics(s.q, s.v, s.a, on_robot);
    const auto tau_under = [&](const std::vector<Push>& all) {
      return Quantities(robot, s, ReferenceFrame::kLocal, false,
                        all)[Output::kTau];
    };
    errors.Add("inverse dynamics", RelativeError(tau_under(pushes), theirs),
               where);
    pushes.front().wrench *= -1;
    pushes.back().wrench *= -1;
    errors.Add("with two of them turned around",
               RelativeError(tau_under(pushes), theirs), where);
  });
  errors.ExpectBelow("inverse dynamics", 4e-14);
  errors.ExpectAbove("with two of them turned around", 1e-3);
}

TEST(KdlTest, MassMatrixEqualsKdlOnChains) {
  LargestErrors errors;
  ForStates(Chains(), [&](const TestRobot& robot, const State& s,
                          const std::string& where) {
    Robot ours = MakeRobot(robot);
    const KdlChain theirs = MakeChain(robot);
    errors.Add("mass matrix",
               RelativeError(ours.MassMatrix(s.q), theirs.MassMatrix(s.q)),
               where);
    const VectorXd other = s.q.array() + 0.1;
    errors.Add("at another state",
               RelativeError(ours.MassMatrix(other), theirs.MassMatrix(s.q)),
               where);
  });
  errors.ExpectBelow("mass matrix", 3e-14);
  errors.ExpectAbove("at another state", 1e-6);
}

// KDL has no mass matrix of trees; its columns are inverse dynamics without
// gravity and motion.
TEST(KdlTest, MassMatrixHasTheColumnsOfKdlOnRandomTrees) {
  LargestErrors errors;
  ForStates(Trees(), [&](const TestRobot& robot, const State& s,
                         const std::string& where) {
    const KdlTree theirs(robot.urdf, JointNames(*robot.model), {0, 0, 0});
    const int n = robot.model->nv();
    MatrixXd M(n, n);
    for (int j = 0; j < n; ++j) {
      M.col(j) =
          theirs.InverseDynamics(s.q, VectorXd::Zero(n), VectorXd::Unit(n, j));
    }
    errors.Add("mass matrix",
               RelativeError(MakeRobot(robot).MassMatrix(s.q), M), where);
  });
  errors.ExpectBelow("mass matrix", 3e-14);
}

TEST(KdlTest, BiasIsKdlsGravityAndCoriolisTorque) {
  LargestErrors errors;
  ForStates(Chains(), [&](const TestRobot& robot, const State& s,
                          const std::string& where) {
    const KdlChain theirs = MakeChain(robot);
    const VectorXd gravity = theirs.GravityTorque(s.q);
    const VectorXd coriolis = theirs.CoriolisTorque(s.q, s.v);
    const VectorXd zero = VectorXd::Zero(robot.model->nv());
    Robot ours = MakeRobot(robot);
    Robot weightless = MakeRobot(robot, ReferenceFrame::kLocal, {0, 0, 0});
    errors.Add("gravity torque",
               RelativeError(ours.BiasForces(s.q, zero), gravity), where);
    errors.Add("Coriolis torque",
               RelativeError(weightless.BiasForces(s.q, s.v), coriolis), where);
    errors.Add("bias",
               RelativeError(ours.BiasForces(s.q, s.v), gravity + coriolis),
               where);
    // Quadratic in v: a reversed motion has the same.
    errors.Add("Coriolis torque of a reversed motion",
               RelativeError(weightless.BiasForces(s.q, -s.v), coriolis),
               where);
    errors.Add("Coriolis torque of half the rate",
               RelativeError(weightless.BiasForces(s.q, 0.5 * s.v), coriolis),
               where);
  });
  errors.ExpectBelow("gravity torque", 1e-13);
  errors.ExpectBelow("Coriolis torque", 2e-13);
  errors.ExpectBelow("bias", 1e-13);
  errors.ExpectBelow("Coriolis torque of a reversed motion", 2e-13);
  errors.ExpectAbove("Coriolis torque of half the rate", 0.7);
}

TEST(KdlTest, ForwardDynamicsEqualsKdlOnChains) {
  LargestErrors errors;
  ForStates(Chains(), [&](const TestRobot& robot, const State& s,
                          const std::string& where) {
    const KdlChain theirs = MakeChain(robot);
    const VectorXd a = theirs.ForwardDynamics(s.q, s.v, s.tau);
    const VectorXd pushed = theirs.ForwardDynamics(s.q, s.v, s.tau, s.wrench);
    const double condition = ConditionNumber(theirs.MassMatrix(s.q));
    Robot ours = MakeRobot(robot);
    const double error =
        RelativeError(ours.ForwardDynamics(s.q, s.v, s.tau), a);
    errors.Add("forward dynamics", error, where);
    errors.Add("forward dynamics / cond M", error / condition, where);
    errors.Add(
        "forward dynamics with a wrench / cond M",
        RelativeError(ours.ForwardDynamics(s.q, s.v, s.tau, s.wrench), pushed) /
            condition,
        where);
    errors.Add(
        "with the wrench on the robot",
        RelativeError(ours.ForwardDynamics(s.q, s.v, s.tau, -s.wrench), pushed),
        where);
    errors.Add("with the torques of the other sign",
               RelativeError(ours.ForwardDynamics(s.q, s.v, -s.tau), a), where);
  });
  errors.ExpectBelow("forward dynamics", 1e-13);
  errors.ExpectBelow("forward dynamics / cond M", 2e-15);
  errors.ExpectBelow("forward dynamics with a wrench / cond M", 2e-15);
  errors.ExpectAbove("with the wrench on the robot", 1e-3);
  errors.ExpectAbove("with the torques of the other sign", 1e-3);
}

TEST(KdlTest, FramePoseEqualsKdl) {
  LargestErrors errors;
  ForStates(
      Joined(Chains(), Trees()),
      [&](const TestRobot& robot, const State& s, const std::string& where) {
        const KdlTree theirs = MakeTree(robot);
        for (const Frame& frame : robot.model->frames().subspan(1)) {
          Robot::Options options;
          options.tip_frame = frame.name;
          Robot ours(robot.model, options);
          errors.Add("pose",
                     RelativeError(ours.FramePose(s.q),
                                   theirs.FramePose(s.q, frame.name)),
                     where + ", " + frame.name);
        }
        const VectorXd step = VectorXd::Constant(s.q.size(), 1e-3);
        errors.Add("pose a small step away",
                   RelativeError(MakeRobot(robot).FramePose(s.q + step),
                                 theirs.FramePose(s.q, robot.tip)),
                   where);
      });
  errors.ExpectBelow("pose", 2e-14);
  errors.ExpectAbove("pose a small step away", 1e-5);
}

TEST(KdlTest, JacobianEqualsKdlOnRandomTrees) {
  LargestErrors errors;
  ForStates(Trees(), [&](const TestRobot& robot, const State& s,
                         const std::string& where) {
    const MatrixXd theirs = MakeTree(robot).Jacobian(s.q, robot.tip);
    errors.Add(
        "Jacobian",
        RelativeError(
            MakeRobot(robot, ReferenceFrame::kLocalWorldAligned).Jacobian(s.q),
            theirs),
        where);
  });
  errors.ExpectBelow("Jacobian", 3e-14);
}

TEST(KdlTest, JacobianAndDriftEqualKdlInEveryFrame) {
  LargestErrors errors;
  ForStates(Chains(), [&](const TestRobot& robot, const State& s,
                          const std::string& where) {
    const KdlChain theirs = MakeChain(robot);
    for (const ReferenceFrame frame : kFrames) {
      const MatrixXd J = theirs.Jacobian(s.q, frame);
      const VectorXd drift = theirs.JacobianDrift(s.q, s.v, frame);
      for (const ReferenceFrame ours : kFrames) {
        Robot robot_of_ours = MakeRobot(robot, ours);
        const std::string of =
            frame == ours ? " in " + Name(frame)
                          : " in " + Name(ours) + " for " + Name(frame);
        errors.Add("Jacobian" + of,
                   RelativeError(robot_of_ours.Jacobian(s.q), J), where);
        errors.Add("drift" + of,
                   RelativeError(robot_of_ours.JacobianDrift(s.q, s.v), drift),
                   where);
      }
    }
  });
  for (const ReferenceFrame frame : kFrames) {
    errors.ExpectBelow("Jacobian in " + Name(frame), 3e-14);
    errors.ExpectBelow("drift in " + Name(frame), 6e-14);
    for (const ReferenceFrame other : kFrames) {
      if (other == frame) continue;
      const std::string of = " in " + Name(other) + " for " + Name(frame);
      errors.ExpectAbove("Jacobian" + of, 1e-3);
      errors.ExpectAbove("drift" + of, 1e-3);
    }
  }
}

TEST(KdlTest, GravityAndCoriolisForcesEqualKdl) {
  LargestErrors errors;
  ForStates(Chains(), [&](const TestRobot& robot, const State& s,
                          const std::string& where) {
    const KdlChain theirs = MakeChain(robot);
    const VectorXd gravity = theirs.GravityTorque(s.q);
    const VectorXd coriolis = theirs.CoriolisTorque(s.q, s.v);
    const Quantities ours(robot, s, ReferenceFrame::kLocal);
    const Eigen::Index n = s.v.size();
    const MatrixXd C = ours.Matrix(Output::kCoriolisMatrix, n);
    errors.Add("gravity", RelativeError(ours[Output::kGravity], gravity),
               where);
    errors.Add("c", RelativeError(ours[Output::kCoriolis], coriolis), where);
    errors.Add("C v", RelativeError(C * s.v, coriolis), where);
    errors.Add("C^T v", RelativeError(C.transpose() * s.v, coriolis), where);
    errors.Add("M M^-1 / cond M",
               RelativeError(ours.Matrix(Output::kMassMatrixInverse, n) *
                                 theirs.MassMatrix(s.q),
                             MatrixXd::Identity(n, n)) /
                   ConditionNumber(theirs.MassMatrix(s.q)),
               where);
  });
  errors.ExpectBelow("gravity", 6e-14);
  errors.ExpectBelow("c", 1.2e-13);
  errors.ExpectBelow("C v", 1.2e-13);
  errors.ExpectBelow("M M^-1 / cond M", 2e-15);
  errors.ExpectAbove("C^T v", 1e-3);
}

TEST(KdlTest, FrameVelocityAndRateOfTheJacobianEqualKdlInEveryFrame) {
  LargestErrors errors;
  ForStates(Chains(), [&](const TestRobot& robot, const State& s,
                          const std::string& where) {
    const KdlChain theirs = MakeChain(robot);
    for (const ReferenceFrame frame : kFrames) {
      const Quantities ours(robot, s, frame);
      const MatrixXd rate = ours.Matrix(Output::kJacobianRate, 6);
      const VectorXd& velocity = ours[Output::kFrameVelocity];
      const MatrixXd J = theirs.Jacobian(s.q, frame);
      const MatrixXd Jdot = theirs.JacobianRate(s.q, s.v, frame);
      const std::string in = " in " + Name(frame);
      errors.Add("rate" + in, RelativeError(rate, Jdot), where);
      errors.Add("velocity" + in,
                 RelativeError(velocity, theirs.FrameVelocity(s.q, s.v, frame)),
                 where);
      // Of the axes in the moving frame, the spatial acceleration; for base
      // axes at the tip, that of its position.
      errors.Add("acceleration" + in,
                 RelativeError(ours[frame == ReferenceFrame::kLocalWorldAligned
                                        ? Output::kFrameAccelerationClassical
                                        : Output::kFrameAcceleration],
                               J * s.a + Jdot * s.v),
                 where);
      errors.Add("the other acceleration" + in,
                 RelativeError(ours[frame == ReferenceFrame::kLocalWorldAligned
                                        ? Output::kFrameAcceleration
                                        : Output::kFrameAccelerationClassical],
                               J * s.a + Jdot * s.v),
                 where);
      for (const ReferenceFrame other : kFrames) {
        if (other == frame) continue;
        const std::string for_other = in + " for " + Name(other);
        errors.Add("rate" + for_other,
                   RelativeError(rate, theirs.JacobianRate(s.q, s.v, other)),
                   where);
        errors.Add(
            "velocity" + for_other,
            RelativeError(velocity, theirs.FrameVelocity(s.q, s.v, other)),
            where);
      }
    }
  });
  for (const ReferenceFrame frame : kFrames) {
    const std::string in = " in " + Name(frame);
    errors.ExpectBelow("rate" + in, 5e-14);
    errors.ExpectBelow("velocity" + in, 3e-14);
    errors.ExpectBelow("acceleration" + in, 4e-14);
    errors.ExpectAbove("the other acceleration" + in, 1e-3);
    for (const ReferenceFrame other : kFrames) {
      if (other == frame) continue;
      const std::string for_other = in + " for " + Name(other);
      errors.ExpectAbove("rate" + for_other, 1e-3);
      errors.ExpectAbove("velocity" + for_other, 1e-3);
    }
  }
}

// With KDL's own inertias of links, summed by KDL over what is fixed to them.
TEST(KdlTest, RegressorTimesKdlsInertiasIsKdlsInverseDynamics) {
  LargestErrors errors;
  ForStates(Chains(), [&](const TestRobot& robot, const State& s,
                          const std::string& where) {
    const KdlChain theirs = MakeChain(robot);
    const VectorXd tau = theirs.InverseDynamics(s.q, s.v, s.a);
    const VectorXd parameters = theirs.InertialParameters();
    const MatrixXd Y = Quantities(robot, s, ReferenceFrame::kLocal)
                           .Matrix(Output::kRegressor, s.v.size());
    errors.Add("Y p", RelativeError(Y * parameters, tau), where);
    VectorXd mirrored = parameters;
    for (Eigen::Index at = 0; at < mirrored.size(); at += 10) {
      mirrored.segment<3>(at + 1) *= -1;  // first moments
    }
    errors.Add("with mirrored centres of mass",
               RelativeError(Y * mirrored, tau), where);
  });
  errors.ExpectBelow("Y p", 4e-14);
  errors.ExpectAbove("with mirrored centres of mass", 1e-3);
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
  LargestErrors errors;
  ForStates(Chains(), [&](const TestRobot& robot, const State& s,
                          const std::string& where) {
    const KdlChain theirs = MakeChain(robot);
    const Quantities ours(robot, s, ReferenceFrame::kLocal, /*wrench=*/true);
    const Eigen::Index n = s.v.size();
    const auto compare = [&](const std::string& what, Output output,
                             const MatrixXd& expected) {
      // A derivative may vanish: errors of small ones are absolute.
      errors.Add(what, RelativeError(ours.Matrix(output, n), expected, 1),
                 where);
    };
    compare("dtau/dq", Output::kTauByQ,
            Gradient(
                [&](const VectorXd& q) {
                  return theirs.InverseDynamics(q, s.v, s.a, s.wrench);
                },
                s.q));
    compare("dtau/dv", Output::kTauByV,
            Gradient(
                [&](const VectorXd& v) {
                  return theirs.InverseDynamics(s.q, v, s.a, s.wrench);
                },
                s.v));
    compare("da/dq", Output::kAccelerationByQ,
            Gradient(
                [&](const VectorXd& q) {
                  return theirs.ForwardDynamics(q, s.v, s.tau, s.wrench);
                },
                s.q));
    compare("da/dv", Output::kAccelerationByV,
            Gradient(
                [&](const VectorXd& v) {
                  return theirs.ForwardDynamics(s.q, v, s.tau, s.wrench);
                },
                s.v));
    compare("da/dtau", Output::kAccelerationByTau,
            Gradient(
                [&](const VectorXd& tau) {
                  return theirs.ForwardDynamics(s.q, s.v, tau, s.wrench);
                },
                s.tau));
    // dm_ij/dq_k at (i n + j, k).
    const MatrixXd gradient = Gradient(
        [&](const VectorXd& q) -> VectorXd {
          return theirs.MassMatrix(q).reshaped();
        },
        s.q);
    const VectorXd rate = gradient * s.v;
    compare("dM/dt", Output::kMassMatrixRate, rate.reshaped(n, n));
    MatrixXd symbols(n * n, n);
    for (Eigen::Index i = 0; i < n; ++i) {
      for (Eigen::Index j = 0; j < n; ++j) {
        for (Eigen::Index k = 0; k < n; ++k) {
          symbols(i * n + j, k) =
              (gradient(i * n + j, k) + gradient(i * n + k, j) -
               gradient(j * n + k, i)) /
              2;
        }
      }
    }
    errors.Add(
        "c_ijk",
        RelativeError(ours.Matrix(Output::kChristoffel, n * n), symbols, 1),
        where);
  });
  errors.ExpectBelow("dtau/dq", 2e-11);
  errors.ExpectBelow("dtau/dv", 2e-10);
  errors.ExpectBelow("da/dq", 3e-8);
  errors.ExpectBelow("da/dv", 2e-8);
  errors.ExpectBelow("da/dtau", 1e-10);
  errors.ExpectBelow("dM/dt", 3e-11);
  errors.ExpectBelow("c_ijk", 1e-11);
}

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
      errors.Add(
          "eta of a resting robot",
          RelativeError(ours.OperationalSpace(s.q, zero).eta, theirs.eta),
          where);
      const ReferenceFrame other = frame == ReferenceFrame::kLocal
                                       ? ReferenceFrame::kWorld
                                       : ReferenceFrame::kLocal;
      errors.Add(
          "Lambda in another frame",
          RelativeError(result.lambda, TaskOf(chain, s, other, task).lambda),
          where);
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

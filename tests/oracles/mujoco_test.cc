// Our results against MuJoCo, which reads the same URDF text by its own parser.
// Contacts, limits and Coulomb friction, which MuJoCo solves for as
// constraints, are off.
//
// MuJoCo stores inertias by principal axes, which it finds to some 1e-9 only:
// the bounds of what depends on inertias are wide for that reason. They are
// less than ten times the largest error seen. Errors of accelerations are
// divided by the condition number of M.

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <string>
#include <vector>

#include "bench/robots.h"
#include "tests/oracles/robots.h"
#include "tests/support/libraries/mujoco_robot.h"
#include "tests/support/with_armature.h"

namespace torqued::testing_support {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using enum Output;
using enum ReferenceFrame;
using Shape = RandomRobotOptions::Shape;

MatrixXd Number(double x) { return MatrixXd::Constant(1, 1, x); }

/// A robot in a state, which it takes and keeps in MuJoCo's order of joints.
struct Mujoco : oracles::MujocoRobot {
  Mujoco(const TestRobot& robot, const State& s)
      : MujocoRobot(robot.urdf, robot.tip, kSkewGravity),
        to(bench::JointIndices(*robot.model, joint_names())),
        q(s.q(to)),
        v(s.v(to)),
        a(s.a(to)),
        tau(s.tau(to)) {
    Move(q, v);
  }
  std::vector<int> to;  // our number of a joint of MuJoCo's
  VectorXd q, v, a, tau;
};

struct Bounds {
  double tau, M, a;
};

/// What depends on inertias, and with what each robot has of rotors and viscous
/// friction.
void CompareDynamics(const std::vector<TestRobot>& robots, bool damping,
                     const Bounds& bounds) {
  Comparison compare;
  ForStates(compare, robots, [&](const TestRobot& robot, const State& s) {
    Mujoco theirs(robot, s);
    const auto& to = theirs.to;
    const VectorXd &q = theirs.q, &v = theirs.v, &tau = theirs.tau;
    VectorXd rotors(s.v.size());
    for (const Joint& j : robot.model->joints()) rotors[j.v_index] = j.armature;
    theirs.AddTerms(rotors(to), damping);
    Setting free = In(robot, s, kLocalWorldAligned);
    free.options.terms.viscous_friction = damping;
    const Answers ours = AskAll(free);
    const Answers pushed = AskAll(free.With(Input::kTipWrench, s.wrench));
    const MatrixXd M = theirs.MassMatrix(q);
    const double condition = ConditionNumber(M);
    compare.Equal("M", ours.Matrix(kMassMatrix, s.v.size())(to, to), M,
                  bounds.M);
    if (!damping) {
      compare.Equal("bias", ours[kBias](to), theirs.BiasForces(q, v), 5e-8);
      compare.Equal("kinetic energy", ours[kKineticEnergy],
                    Number(theirs.WholeRobot().kinetic_energy), 7e-8);
    }
    compare.Equal("tau", ours[kTau](to), theirs.InverseDynamics(q, v, theirs.a),
                  bounds.tau);
    compare.Equal("a / cond M", ours[kAcceleration](to),
                  theirs.ForwardDynamics(q, v, tau), bounds.a, 0, condition);
    const VectorXd a = theirs.ForwardDynamics(q, v, tau, s.wrench);
    compare.Equal("a with a wrench / cond M", pushed[kAcceleration](to), a,
                  bounds.a, 0, condition);
    compare.Differ(
        "a with the wrench on the robot",
        AskAll(free.With(Input::kTipWrench, -s.wrench))[kAcceleration](to), a);
  });
}

std::vector<TestRobot> Robots() {
  return WithDeployed(RandomRobots(Shape::kTree, 60, 4, 20));
}

TEST(MujocoTest, DynamicsEqualMujocos) {
  CompareDynamics(Robots(), false, {.tau = 5e-8, .M = 2e-7, .a = 3e-9});
}

TEST(MujocoTest, ViscousFrictionIsMujocosDamping) {
  CompareDynamics(RandomRobots(Shape::kTree, 50, 2, 12, /*friction=*/true),
                  true, {.tau = 1e-7, .M = 2e-7, .a = 4e-8});
}

TEST(MujocoTest, RotorsAreMujocosArmatures) {
  auto robots = RandomRobots(Shape::kTree, 50, 2, 12);
  for (TestRobot& robot : robots) robot.model = WithArmature(*robot.model, 1);
  CompareDynamics(robots, false, {.tau = 1e-7, .M = 1e-7, .a = 1e-7});
}

TEST(MujocoTest, KinematicsEqualMujocos) {
  Comparison compare;
  ForStates(compare, Robots(), [&](const TestRobot& robot, const State& s) {
    Mujoco theirs(robot, s);
    const Answers local = AskAll(In(robot, s));
    const Answers aligned = AskAll(In(robot, s, kLocalWorldAligned));
    // MuJoCo's world takes the place of the root link.
    for (const Frame& frame : robot.model->frames().subspan(1)) {
      compare.Equal("pose", PoseOf(In(robot, s), frame.name),
                    theirs.Pose(frame.name), 2e-14);
    }
    const auto whole = theirs.WholeRobot();
    // Heights may cancel: errors are relative to the weight, a metre high.
    const double weight = robot.model->moving_mass() * 9.6;
    compare.Equal("potential energy", local[kPotentialEnergy],
                  Number(whole.potential_energy), 5e-15, weight);
    compare.Equal("center of mass", local[kCenterOfMass], whole.center, 2e-14);
    compare.Equal("center of mass velocity", local[kCenterOfMassVelocity],
                  whole.velocity, 1e-13);
    compare.Equal("momentum", local[kMomentum], whole.momentum, 5e-7);
    compare.Equal("momentum matrix times v",
                  local.Matrix(kMomentumMatrix, 6) * s.v, whole.momentum, 5e-7);
    const MatrixXd J = theirs.Jacobian(theirs.q);
    compare.Equal("J", aligned.Matrix(kJacobian, 6)(Eigen::all, theirs.to), J,
                  2e-14);
    // Where a lone prismatic joint moves the tip the drift vanishes. It is the
    // acceleration where no joint accelerates.
    const double scale = J.cwiseAbs().maxCoeff() * s.v.squaredNorm();
    compare.Equal("drift", aligned[kJacobianDrift],
                  theirs.Acceleration(robot.tip, 0 * theirs.a), 1e-14, scale);
    const VectorXd twist = theirs.Twist(robot.tip, false);
    const VectorXd a = theirs.Acceleration(robot.tip, theirs.a);
    const auto spatial = [](const VectorXd& classical, const VectorXd& V) {
      const Vector3d w = V.head(3), v = V.tail(3);
      return oracles::Joined(classical.head(3),
                             classical.tail<3>() - w.cross(v));
    };
    compare.Equal("velocity", local[kFrameVelocity],
                  theirs.Twist(robot.tip, true), 1e-14);
    compare.Equal("velocity, aligned", aligned[kFrameVelocity], twist, 1e-14);
    compare.Equal("acceleration", aligned[kFrameAccelerationClassical], a,
                  6e-14);
    compare.Equal("spatial acceleration", aligned[kFrameAcceleration],
                  spatial(a, twist), 6e-14, a.cwiseAbs().maxCoeff());
    const MatrixXd twists = local.Matrix(kLinkTwists, s.v.size());
    const MatrixXd rates = local.Matrix(kLinkAccelerations, s.v.size());
    for (const Joint& joint : robot.model->joints()) {
      const std::string& link = joint.child_link;
      const MatrixXd back = theirs.Pose(link).leftCols(3).transpose();
      const VectorXd V = theirs.Twist(link, true);
      const VectorXd in_world = theirs.Acceleration(link, theirs.a);
      const VectorXd in_link =
          oracles::Joined(back * in_world.head(3), back * in_world.tail(3));
      compare.Equal("twists of links", twists.row(joint.v_index).transpose(), V,
                    1e-14, twists.cwiseAbs().maxCoeff());
      compare.Equal("accelerations of links",
                    rates.row(joint.v_index).transpose(), spatial(in_link, V),
                    6e-14, rates.cwiseAbs().maxCoeff());
    }
  });
}

TEST(MujocoTest, WrenchesOfJointsAndBaseEqualMujocos) {
  Comparison compare;
  ForStates(compare, Robots(), [&](const TestRobot& robot, const State& s) {
    Mujoco theirs(robot, s);
    const auto [joints, base] = theirs.JointAndBaseWrenches(theirs.a, s.wrench);
    const Setting free = In(robot, s, kLocalWorldAligned);
    const Answers ours = AskAll(free.With(Input::kTipWrench, s.wrench));
    const Answers reverse = AskAll(free.With(Input::kTipWrench, -s.wrench));
    const Eigen::Index n = s.v.size();
    compare.Equal("joints",
                  ours.Matrix(kJointWrenches, n)(theirs.to, Eigen::all), joints,
                  3e-8);
    compare.Equal("base", ours[kBaseWrench], base, 3e-8);
    compare.Differ("joints under the wrench on the robot",
                   reverse.Matrix(kJointWrenches, n)(theirs.to, Eigen::all),
                   joints);
    compare.Differ("base under the wrench on the robot", reverse[kBaseWrench],
                   base);
  });
}

}  // namespace
}  // namespace torqued::testing_support

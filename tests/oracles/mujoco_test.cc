// Our results against MuJoCo, which reads the same URDF text by its own parser.
//
// MuJoCo stores inertias by principal axes, which it finds to some 1e-9 only:
// the bounds of what depends on inertias are wide for that reason. They are
// less than ten times the largest error seen. Errors of accelerations are
// divided by the condition number of M.

#include "tests/oracles/mujoco_robot.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <string>
#include <vector>

#include "core/batch/robot.h"
#include "tests/oracles/robots.h"
#include "tests/support/compare.h"
#include "tests/support/with_armature.h"

namespace torqued::testing_support {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Shape = RandomRobotOptions::Shape;

std::vector<TestRobot> Robots() {
  return Joined(DeployedRobots(), RandomRobots(Shape::kTree, 60, 4, 20));
}

Robot::Options WorldAligned() {
  Robot::Options options;
  options.terms.gravity = kSkewGravity;
  options.reference_frame = ReferenceFrame::kLocalWorldAligned;
  return options;
}

MujocoRobot MakeTheirs(const TestRobot& robot) {
  return MujocoRobot(robot.urdf, JointNames(*robot.model), kSkewGravity);
}

TEST(MujocoTest, InverseDynamicsAndBiasEqualMujoco) {
  LargestErrors errors;
  ForStates(Robots(), [&](const TestRobot& robot, const State& s,
                          const std::string& where) {
    MujocoRobot theirs = MakeTheirs(robot);
    const VectorXd tau = theirs.InverseDynamics(s.q, s.v, s.a);
    const VectorXd bias = theirs.Bias(s.q, s.v);
    Robot ours(robot.model, WorldAligned());
    errors.Add("inverse dynamics",
               RelativeError(ours.InverseDynamics(s.q, s.v, s.a), tau), where);
    errors.Add("bias", RelativeError(ours.BiasForces(s.q, s.v), bias), where);
    Robot::Options lifted = WorldAligned();
    for (double& g : *lifted.terms.gravity) g = -g;
    errors.Add(
        "with gravity of the other sign",
        RelativeError(Robot(robot.model, lifted).InverseDynamics(s.q, s.v, s.a),
                      tau),
        where);
    errors.Add("bias at rest",
               RelativeError(ours.BiasForces(s.q, 0 * s.v), bias), where);
  });
  errors.ExpectBelow("inverse dynamics", 5e-8);
  errors.ExpectBelow("bias", 5e-8);
  errors.ExpectAbove("with gravity of the other sign", 1e-2);
  errors.ExpectAbove("bias at rest", 1e-4);
}

TEST(MujocoTest, MassMatrixEqualsMujoco) {
  LargestErrors errors;
  ForStates(Robots(), [&](const TestRobot& robot, const State& s,
                          const std::string& where) {
    MujocoRobot theirs = MakeTheirs(robot);
    const MatrixXd M = theirs.MassMatrix(s.q);
    Robot ours(robot.model, WorldAligned());
    const VectorXd other = s.q.array() + 0.1;
    errors.Add("mass matrix", RelativeError(ours.MassMatrix(s.q), M), where);
    errors.Add("at another state", RelativeError(ours.MassMatrix(other), M),
               where);
  });
  errors.ExpectBelow("mass matrix", 2e-7);
  errors.ExpectAbove("at another state", 1e-4);
}

TEST(MujocoTest, ForwardDynamicsEqualsMujoco) {
  LargestErrors errors;
  ForStates(Robots(), [&](const TestRobot& robot, const State& s,
                          const std::string& where) {
    MujocoRobot theirs = MakeTheirs(robot);
    const double condition = ConditionNumber(theirs.MassMatrix(s.q));
    const VectorXd a = theirs.ForwardDynamics(s.q, s.v, s.tau);
    const VectorXd pushed =
        theirs.ForwardDynamics(s.q, s.v, s.tau, robot.tip, s.wrench);
    Robot ours(robot.model, WorldAligned());
    errors.Add(
        "forward dynamics / cond M",
        RelativeError(ours.ForwardDynamics(s.q, s.v, s.tau), a) / condition,
        where);
    errors.Add(
        "forward dynamics with a wrench / cond M",
        RelativeError(ours.ForwardDynamics(s.q, s.v, s.tau, s.wrench), pushed) /
            condition,
        where);
    errors.Add(
        "with the wrench on the robot",
        RelativeError(ours.ForwardDynamics(s.q, s.v, s.tau, -s.wrench), pushed),
        where);
    Robot::Options local = WorldAligned();
    local.reference_frame = ReferenceFrame::kLocal;
    errors.Add("with the wrench in other axes",
               RelativeError(Robot(robot.model, local)
                                 .ForwardDynamics(s.q, s.v, s.tau, s.wrench),
                             pushed),
               where);
  });
  errors.ExpectBelow("forward dynamics / cond M", 3e-9);
  errors.ExpectBelow("forward dynamics with a wrench / cond M", 3e-9);
  errors.ExpectAbove("with the wrench on the robot", 1e-3);
  errors.ExpectAbove("with the wrench in other axes", 1e-3);
}

TEST(MujocoTest, ViscousFrictionEqualsMujocosDamping) {
  LargestErrors errors;
  ForStates(
      RandomRobots(Shape::kTree, 50, 2, 12, /*friction=*/true),
      [&](const TestRobot& robot, const State& s, const std::string& where) {
        MujocoRobot theirs = MakeTheirs(robot);
        const double condition = ConditionNumber(theirs.MassMatrix(s.q));
        theirs.EnableDamping();
        const VectorXd tau = theirs.InverseDynamics(s.q, s.v, s.a);
        const VectorXd a = theirs.ForwardDynamics(s.q, s.v, s.tau);
        Robot::Options options = WorldAligned();
        options.terms.viscous_friction = true;
        Robot ours(robot.model, options);
        Robot frictionless(robot.model, WorldAligned());
        errors.Add("inverse dynamics",
                   RelativeError(ours.InverseDynamics(s.q, s.v, s.a), tau),
                   where);
        errors.Add(
            "forward dynamics / cond M",
            RelativeError(ours.ForwardDynamics(s.q, s.v, s.tau), a) / condition,
            where);
        errors.Add(
            "inverse dynamics without friction",
            RelativeError(frictionless.InverseDynamics(s.q, s.v, s.a), tau),
            where);
        errors.Add(
            "forward dynamics without friction",
            RelativeError(frictionless.ForwardDynamics(s.q, s.v, s.tau), a),
            where);
      });
  errors.ExpectBelow("inverse dynamics", 1e-7);
  errors.ExpectBelow("forward dynamics / cond M", 4e-8);
  errors.ExpectAbove("inverse dynamics without friction", 1e-4);
  errors.ExpectAbove("forward dynamics without friction", 1e-4);
}

TEST(MujocoTest, ArmatureEqualsMujocos) {
  std::vector<TestRobot> robots;
  for (const TestRobot& robot : RandomRobots(Shape::kTree, 50, 2, 12)) {
    robots.push_back(
        {robot.name, robot.urdf, robot.tip, WithArmature(*robot.model, 1)});
  }
  LargestErrors errors;
  ForStates(robots, [&](const TestRobot& robot, const State& s,
                        const std::string& where) {
    MujocoRobot theirs = MakeTheirs(robot);
    VectorXd armature(robot.model->nv());
    for (const Joint& joint : robot.model->joints()) {
      armature[joint.v_index] = joint.armature;
    }
    theirs.SetArmature(armature);
    const MatrixXd M = theirs.MassMatrix(s.q);
    const VectorXd tau = theirs.InverseDynamics(s.q, s.v, s.a);
    const VectorXd a = theirs.ForwardDynamics(s.q, s.v, s.tau);
    Robot ours(robot.model, WorldAligned());
    Robot bare(WithArmature(*robot.model, 0), WorldAligned());
    errors.Add("mass matrix", RelativeError(ours.MassMatrix(s.q), M), where);
    errors.Add("inverse dynamics",
               RelativeError(ours.InverseDynamics(s.q, s.v, s.a), tau), where);
    errors.Add("forward dynamics / cond M",
               RelativeError(ours.ForwardDynamics(s.q, s.v, s.tau), a) /
                   ConditionNumber(M),
               where);
    errors.Add("mass matrix without it", RelativeError(bare.MassMatrix(s.q), M),
               where);
    errors.Add("inverse dynamics without it",
               RelativeError(bare.InverseDynamics(s.q, s.v, s.a), tau), where);
    errors.Add("forward dynamics without it",
               RelativeError(bare.ForwardDynamics(s.q, s.v, s.tau), a), where);
  });
  errors.ExpectBelow("mass matrix", 1e-7);
  errors.ExpectBelow("inverse dynamics", 1e-7);
  errors.ExpectBelow("forward dynamics / cond M", 1e-7);
  errors.ExpectAbove("mass matrix without it", 1e-4);
  errors.ExpectAbove("inverse dynamics without it", 1e-5);
  errors.ExpectAbove("forward dynamics without it", 1e-4);
}

TEST(MujocoTest, FramePoseEqualsMujoco) {
  LargestErrors errors;
  ForStates(Robots(), [&](const TestRobot& robot, const State& s,
                          const std::string& where) {
    MujocoRobot theirs = MakeTheirs(robot);
    // MuJoCo's world takes the place of the root link.
    for (const Frame& frame : robot.model->frames().subspan(1)) {
      Robot::Options options;
      options.tip_frame = frame.name;
      errors.Add("pose",
                 RelativeError(Robot(robot.model, options).FramePose(s.q),
                               theirs.FramePose(s.q, frame.name)),
                 where + ", " + frame.name);
    }
    const VectorXd step = VectorXd::Constant(s.q.size(), 1e-3);
    errors.Add(
        "pose a small step away",
        RelativeError(Robot(robot.model, WorldAligned()).FramePose(s.q + step),
                      theirs.FramePose(s.q, robot.tip)),
        where);
  });
  errors.ExpectBelow("pose", 2e-14);
  errors.ExpectAbove("pose a small step away", 1e-5);
}

TEST(MujocoTest, JacobianAndDriftEqualMujoco) {
  LargestErrors errors;
  ForStates(Robots(), [&](const TestRobot& robot, const State& s,
                          const std::string& where) {
    MujocoRobot theirs = MakeTheirs(robot);
    const MatrixXd J = theirs.Jacobian(s.q, robot.tip);
    const VectorXd drift = theirs.JacobianDrift(s.q, s.v, robot.tip);
    // Where a lone prismatic joint moves the tip the drift vanishes.
    const double scale = J.cwiseAbs().maxCoeff() * s.v.squaredNorm();
    Robot ours(robot.model, WorldAligned());
    errors.Add("Jacobian", RelativeError(ours.Jacobian(s.q), J), where);
    errors.Add("drift",
               RelativeError(ours.JacobianDrift(s.q, s.v), drift, scale),
               where);
  });
  errors.ExpectBelow("Jacobian", 2e-14);
  errors.ExpectBelow("drift", 1e-14);
}

TEST(MujocoTest, JacobianAndDriftInAnotherFrameAreFarFromMujoco) {
  LargestErrors errors;
  ForStates(
      RandomRobots(Shape::kChain, 30, 5, 9),
      [&](const TestRobot& robot, const State& s, const std::string& where) {
        MujocoRobot theirs = MakeTheirs(robot);
        Robot::Options options = WorldAligned();
        options.reference_frame = ReferenceFrame::kWorld;
        Robot ours(robot.model, options);
        errors.Add(
            "Jacobian",
            RelativeError(ours.Jacobian(s.q), theirs.Jacobian(s.q, robot.tip)),
            where);
        errors.Add("drift",
                   RelativeError(ours.JacobianDrift(s.q, s.v),
                                 theirs.JacobianDrift(s.q, s.v, robot.tip)),
                   where);
      });
  errors.ExpectAbove("Jacobian", 1e-3);
  errors.ExpectAbove("drift", 1e-3);
}

}  // namespace
}  // namespace torqued::testing_support

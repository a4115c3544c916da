// Our results against MuJoCo, which reads the same URDF text by its own parser.
//
// MuJoCo stores inertias by principal axes, which it finds to some 1e-9 only:
// the bounds of what depends on inertias are wide for that reason. They are
// less than ten times the largest error seen. Errors of accelerations are
// divided by the condition number of M. Largest errors seen: momentum 9e-8 (the
// Panda's), mass matrix 3e-8, kinetic energy 1.3e-8, wrenches through joints
// and base 5e-9; of what has no inertia in it, poses, twists, accelerations and
// centres of mass, 1.3e-14.

#include "tests/oracles/mujoco_robot.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <string>
#include <vector>

#include "core/batch/robot.h"
#include "tests/oracles/quantities.h"
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
    errors.Add("inverse dynamics", ours.InverseDynamics(s.q, s.v, s.a), tau,
               where);
    errors.Add("bias", ours.BiasForces(s.q, s.v), bias, where);
    Robot::Options lifted = WorldAligned();
    for (double& g : *lifted.terms.gravity) g = -g;
    errors.Add("with gravity of the other sign",
               Robot(robot.model, lifted).InverseDynamics(s.q, s.v, s.a), tau,
               where);
    errors.Add("bias at rest", ours.BiasForces(s.q, 0 * s.v), bias, where);
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
    errors.Add("mass matrix", ours.MassMatrix(s.q), M, where);
    errors.Add("at another state", ours.MassMatrix(other), M, where);
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
    errors.Add("with the wrench on the robot",
               ours.ForwardDynamics(s.q, s.v, s.tau, -s.wrench), pushed, where);
    Robot::Options local = WorldAligned();
    local.reference_frame = ReferenceFrame::kLocal;
    errors.Add(
        "with the wrench in other axes",
        Robot(robot.model, local).ForwardDynamics(s.q, s.v, s.tau, s.wrench),
        pushed, where);
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
        errors.Add("inverse dynamics", ours.InverseDynamics(s.q, s.v, s.a), tau,
                   where);
        errors.Add(
            "forward dynamics / cond M",
            RelativeError(ours.ForwardDynamics(s.q, s.v, s.tau), a) / condition,
            where);
        errors.Add("inverse dynamics without friction",
                   frictionless.InverseDynamics(s.q, s.v, s.a), tau, where);
        errors.Add("forward dynamics without friction",
                   frictionless.ForwardDynamics(s.q, s.v, s.tau), a, where);
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
    errors.Add("mass matrix", ours.MassMatrix(s.q), M, where);
    errors.Add("inverse dynamics", ours.InverseDynamics(s.q, s.v, s.a), tau,
               where);
    errors.Add("forward dynamics / cond M",
               RelativeError(ours.ForwardDynamics(s.q, s.v, s.tau), a) /
                   ConditionNumber(M),
               where);
    errors.Add("mass matrix without it", bare.MassMatrix(s.q), M, where);
    errors.Add("inverse dynamics without it",
               bare.InverseDynamics(s.q, s.v, s.a), tau, where);
    errors.Add("forward dynamics without it",
               bare.ForwardDynamics(s.q, s.v, s.tau), a, where);
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
      errors.Add("pose", Robot(robot.model, options).FramePose(s.q),
                 theirs.FramePose(s.q, frame.name), where + ", " + frame.name);
    }
    const VectorXd step = VectorXd::Constant(s.q.size(), 1e-3);
    errors.Add("pose a small step away",
               Robot(robot.model, WorldAligned()).FramePose(s.q + step),
               theirs.FramePose(s.q, robot.tip), where);
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
    errors.Add("Jacobian", ours.Jacobian(s.q), J, where);
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
        errors.Add("Jacobian", ours.Jacobian(s.q),
                   theirs.Jacobian(s.q, robot.tip), where);
        errors.Add("drift", ours.JacobianDrift(s.q, s.v),
                   theirs.JacobianDrift(s.q, s.v, robot.tip), where);
      });
  errors.ExpectAbove("Jacobian", 1e-3);
  errors.ExpectAbove("drift", 1e-3);
}

double One(const Quantities& quantities, Output output) {
  return quantities[output][0];
}

/// As matrices, for RelativeError.
MatrixXd Number(double number) { return MatrixXd::Constant(1, 1, number); }

TEST(MujocoTest, EnergyMomentumAndCenterOfMassEqualMujoco) {
  LargestErrors errors;
  ForStates(Robots(), [&](const TestRobot& robot, const State& s,
                          const std::string& where) {
    MujocoRobot theirs = MakeTheirs(robot);
    const MujocoRobot::Whole whole = theirs.WholeRobot(s.q, s.v);
    const Quantities ours(robot, s, ReferenceFrame::kLocal);
    errors.Add("kinetic energy", Number(One(ours, Output::kKineticEnergy)),
               Number(whole.kinetic_energy), where);
    // Heights may cancel: errors are relative to the weight, a metre high.
    const double weight = robot.model->moving_mass() * 9.6;
    errors.Add("potential energy",
               RelativeError(Number(One(ours, Output::kPotentialEnergy)),
                             Number(whole.potential_energy), weight),
               where);
    errors.Add("center of mass", ours[Output::kCenterOfMass],
               whole.center_of_mass, where);
    errors.Add("center of mass velocity", ours[Output::kCenterOfMassVelocity],
               whole.center_of_mass_velocity, where);
    const VectorXd& momentum = ours[Output::kMomentum];
    errors.Add("momentum", momentum, whole.momentum, where);
    errors.Add("momentum matrix times v",
               ours.Matrix(Output::kMomentumMatrix, 6) * s.v, whole.momentum,
               where);
    VectorXd swapped(6);
    swapped << momentum.tail(3), momentum.head(3);
    errors.Add("momentum, linear first", swapped, whole.momentum, where);
  });
  errors.ExpectBelow("kinetic energy", 7e-8);
  errors.ExpectBelow("potential energy", 5e-15);
  errors.ExpectBelow("center of mass", 2e-14);
  errors.ExpectBelow("center of mass velocity", 1e-13);
  errors.ExpectBelow("momentum", 5e-7);
  errors.ExpectBelow("momentum matrix times v", 5e-7);
  errors.ExpectAbove("momentum, linear first", 1e-3);
}

TEST(MujocoTest, KineticEnergyOfRotorsEqualsMujocos) {
  LargestErrors errors;
  for (const TestRobot& robot : RandomRobots(Shape::kTree, 30, 2, 12)) {
    const auto model = WithArmature(*robot.model, 1);
    const TestRobot geared{robot.name, robot.urdf, model->frames().back().name,
                           model};
    ForStates({geared},
              [&](const TestRobot&, const State& s, const std::string& where) {
                MujocoRobot theirs = MakeTheirs(geared);
                VectorXd armature(geared.model->nv());
                for (const Joint& joint : geared.model->joints()) {
                  armature[joint.v_index] = joint.armature;
                }
                theirs.SetArmature(armature);
                const MatrixXd energy =
                    Number(theirs.WholeRobot(s.q, s.v).kinetic_energy);
                const auto ours = [&](const TestRobot& of) {
                  return Number(One(Quantities(of, s, ReferenceFrame::kLocal),
                                    Output::kKineticEnergy));
                };
                errors.Add("kinetic energy", ours(geared), energy, where);
                errors.Add("without rotors", ours(robot), energy, where);
              });
  }
  errors.ExpectBelow("kinetic energy", 7e-8);
  errors.ExpectAbove("without rotors", 1e-4);
}

TEST(MujocoTest, MotionOfLinksAndOfTheTipEqualsMujocos) {
  LargestErrors errors;
  ForStates(Robots(), [&](const TestRobot& robot, const State& s,
                          const std::string& where) {
    MujocoRobot theirs = MakeTheirs(robot);
    const Quantities local(robot, s, ReferenceFrame::kLocal);
    const Quantities aligned(robot, s, ReferenceFrame::kLocalWorldAligned);
    errors.Add("tip, local", local[Output::kFrameVelocity],
               theirs.LinkTwist(s.q, s.v, robot.tip, true), where);
    const VectorXd twist = theirs.LinkTwist(s.q, s.v, robot.tip, false);
    errors.Add("tip, aligned", aligned[Output::kFrameVelocity], twist, where);
    const VectorXd a = theirs.LinkAcceleration(s.q, s.v, s.a, robot.tip);
    errors.Add("acceleration", aligned[Output::kFrameAccelerationClassical], a,
               where);
    VectorXd spatial = a;
    spatial.tail<3>() -= twist.head<3>().eval().cross(twist.tail<3>().eval());
    errors.Add("spatial acceleration",
               RelativeError(aligned[Output::kFrameAcceleration], spatial,
                             a.cwiseAbs().maxCoeff()),
               where);
    const MatrixXd twists = local.Matrix(Output::kLinkTwists, s.v.size());
    const double fastest = twists.cwiseAbs().maxCoeff();
    const MatrixXd accelerations =
        local.Matrix(Output::kLinkAccelerations, s.v.size());
    const double hardest = accelerations.cwiseAbs().maxCoeff();
    for (const Joint& joint : robot.model->joints()) {
      const std::string& name = joint.child_link;
      const VectorXd link = theirs.LinkTwist(s.q, s.v, name, true);
      errors.Add(
          "links",
          RelativeError(twists.row(joint.v_index).transpose(), link, fastest),
          where + ", " + joint.name);
      const VectorXd in_world = theirs.LinkAcceleration(s.q, s.v, s.a, name);
      const Eigen::Matrix3d R =
          theirs.FramePose(s.q, name).topLeftCorner<3, 3>();
      VectorXd acceleration(6);
      acceleration << R.transpose() * in_world.head<3>(),
          R.transpose() * in_world.tail<3>() -
              link.head<3>().eval().cross(link.tail<3>().eval());
      errors.Add("accelerations of links",
                 RelativeError(accelerations.row(joint.v_index).transpose(),
                               acceleration, hardest),
                 where + ", " + joint.name);
    }
  });
  errors.ExpectBelow("tip, local", 1e-14);
  errors.ExpectBelow("tip, aligned", 1e-14);
  errors.ExpectBelow("acceleration", 6e-14);
  errors.ExpectBelow("spatial acceleration", 6e-14);
  errors.ExpectBelow("links", 1e-14);
  errors.ExpectBelow("accelerations of links", 6e-14);
}

TEST(MujocoTest, WrenchesOfJointsAndBaseEqualMujocos) {
  LargestErrors errors;
  ForStates(Robots(), [&](const TestRobot& robot, const State& s,
                          const std::string& where) {
    MujocoRobot theirs = MakeTheirs(robot);
    const auto wrenches =
        theirs.JointWrenches(s.q, s.v, s.a, robot.tip, s.wrench);
    const auto compare = [&](const std::string& what, const Quantities& ours) {
      const Eigen::Index n = s.v.size();
      const MatrixXd of_joints = ours.Matrix(Output::kJointWrenches, n);
      MatrixXd expected(n, 6);
      for (Eigen::Index j = 0; j < n; ++j) {
        expected.row(j) = wrenches.of_joints[static_cast<std::size_t>(j)];
      }
      errors.Add("joints" + what, of_joints, expected, where);
      errors.Add("base" + what, ours[Output::kBaseWrench], wrenches.of_base,
                 where);
    };
    compare("", Quantities(robot, s, ReferenceFrame::kLocalWorldAligned, true));
    compare(" without the wrench",
            Quantities(robot, s, ReferenceFrame::kLocalWorldAligned));
    State pushed = s;
    pushed.wrench = -s.wrench;
    compare(
        " with the wrench on the robot",
        Quantities(robot, pushed, ReferenceFrame::kLocalWorldAligned, true));
  });
  for (const std::string of : {"joints", "base"}) {
    errors.ExpectBelow(of, 3e-8);
    errors.ExpectAbove(of + " without the wrench", 1e-3);
    errors.ExpectAbove(of + " with the wrench on the robot", 1e-3);
  }
}

}  // namespace
}  // namespace torqued::testing_support

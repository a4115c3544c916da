// Poses, Jacobians and motions of frames against Orocos KDL. Largest error seen
// of the rate of the Jacobian: 1e-14.
#include <gtest/gtest.h>

#include <string>

#include "tests/oracles/kdl_comparison.h"
#include "tests/oracles/quantities.h"
#include "tests/support/compare.h"

namespace torqued::testing_support {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

TEST(KdlTest, FramePoseEqualsKdl) {
  LargestErrors errors;
  ForStates(Joined(Chains(), Trees()), [&](const TestRobot& robot,
                                           const State& s,
                                           const std::string& where) {
    const KdlTree theirs = MakeTree(robot);
    for (const Frame& frame : robot.model->frames().subspan(1)) {
      Robot::Options options;
      options.tip_frame = frame.name;
      Robot ours(robot.model, options);
      errors.Add("pose", ours.FramePose(s.q), theirs.FramePose(s.q, frame.name),
                 where + ", " + frame.name);
    }
    const VectorXd step = VectorXd::Constant(s.q.size(), 1e-3);
    errors.Add("pose a small step away", MakeRobot(robot).FramePose(s.q + step),
               theirs.FramePose(s.q, robot.tip), where);
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
        MakeRobot(robot, ReferenceFrame::kLocalWorldAligned).Jacobian(s.q),
        theirs, where);
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
        errors.Add("Jacobian" + of, robot_of_ours.Jacobian(s.q), J, where);
        errors.Add("drift" + of, robot_of_ours.JacobianDrift(s.q, s.v), drift,
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
      errors.Add("rate" + in, rate, Jdot, where);
      errors.Add("velocity" + in, velocity,
                 theirs.FrameVelocity(s.q, s.v, frame), where);
      // Of the axes in the moving frame, the spatial acceleration; for base
      // axes at the tip, that of its position.
      errors.Add("acceleration" + in,
                 ours[frame == ReferenceFrame::kLocalWorldAligned
                          ? Output::kFrameAccelerationClassical
                          : Output::kFrameAcceleration],
                 J * s.a + Jdot * s.v, where);
      errors.Add("the other acceleration" + in,
                 ours[frame == ReferenceFrame::kLocalWorldAligned
                          ? Output::kFrameAcceleration
                          : Output::kFrameAccelerationClassical],
                 J * s.a + Jdot * s.v, where);
      for (const ReferenceFrame other : kFrames) {
        if (other == frame) continue;
        const std::string for_other = in + " for " + Name(other);
        errors.Add("rate" + for_other, rate,
                   theirs.JacobianRate(s.q, s.v, other), where);
        errors.Add("velocity" + for_other, velocity,
                   theirs.FrameVelocity(s.q, s.v, other), where);
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

}  // namespace
}  // namespace torqued::testing_support

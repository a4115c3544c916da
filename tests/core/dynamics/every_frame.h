// Random robots that are evaluated in every reference frame.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "core/batch/robot.h"
#include "tests/core/dynamics/robots.h"
#include "tests/support/load_model.h"
#include "tests/support/random_robot.h"

namespace torqued::testing_support {

/// Calls check(robot, state, frame) in every reference frame for one random
/// robot in one random state.
template <class Check>
void InEveryFrame(std::uint64_t robot_seed, const RandomRobotOptions& options,
                  std::uint64_t state_seed, const Check& check) {
  const RandomRobot robot = MakeRandomRobot(robot_seed, options);
  const auto model = LoadModel(robot.urdf, robot.tip);
  ASSERT_NE(model, nullptr);
  Random random(state_seed);
  const State state = MakeRandomState(*model, random);
  for (const ReferenceFrame frame : kReferenceFrames) {
    SCOPED_TRACE("seed " + std::to_string(robot_seed) + ", frame " +
                 std::to_string(static_cast<int>(frame)));
    Robot::Options robot_options;
    robot_options.reference_frame = frame;
    Robot evaluated(model, robot_options);
    check(evaluated, state, frame);
  }
}

}  // namespace torqued::testing_support

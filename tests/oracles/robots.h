// The robots that are compared with other libraries.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/model/model.h"
#include "tests/support/random_robot.h"

namespace torqued::testing_support {

struct TestRobot {
  std::string name;
  std::string urdf;
  std::string tip;
  std::shared_ptr<const Model> model;
};

/// Those of deploy/models.
std::vector<TestRobot> DeployedRobots();

/// `count` random robots with `fewest` .. `most` joints.
std::vector<TestRobot> RandomRobots(RandomRobotOptions::Shape shape, int count,
                                    int fewest, int most,
                                    bool friction = false);

/// Random states, the same at every call.
std::vector<State> RandomStates(const TestRobot& robot, int count);

/// "random chain 7, state 2"
std::string Where(const TestRobot& robot, int state);

/// Calls `compare(robot, state, where)` for four states of every robot.
template <typename Compare>
void ForStates(const std::vector<TestRobot>& robots, Compare compare) {
  constexpr int kStates = 4;
  for (const TestRobot& robot : robots) {
    ASSERT_NE(robot.model, nullptr) << robot.name;
    const std::vector<State> states = RandomStates(robot, kStates);
    for (int i = 0; i < kStates; ++i) {
      compare(robot, states[i], Where(robot, i));
    }
  }
}

/// In canonical order.
std::vector<std::string> JointNames(const Model& model);

/// Both lists in one.
std::vector<TestRobot> Joined(std::vector<TestRobot> first,
                              std::vector<TestRobot> second);

/// Not along an axis: every component and its sign counts.
inline constexpr std::array<double, 3> kSkewGravity{0.7, -1.3, -9.5};

}  // namespace torqued::testing_support

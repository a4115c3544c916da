#include "tests/oracles/robots.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

#include "tests/support/load_model.h"

namespace torqued::testing_support {
namespace {

TestRobot Load(std::string name, std::string urdf, std::string tip) {
  auto model = LoadModel(urdf, tip);
  return {std::move(name), std::move(urdf), std::move(tip), std::move(model)};
}

}  // namespace

std::vector<TestRobot> DeployedRobots() {
  const std::string folder = TORQUED_MODELS_DIR;
  std::vector<TestRobot> robots;
  for (const auto& [name, tip] :
       {std::pair{"planar_2r", "tip"}, std::pair{"ur5e", "tool0"},
        std::pair{"panda", "panda_link8"}}) {
    robots.push_back(Load(name, ReadFile(folder + "/" + name + ".urdf"), tip));
  }
  return robots;
}

std::vector<TestRobot> RandomRobots(RandomRobotOptions::Shape shape, int count,
                                    int fewest, int most, bool friction) {
  const bool chain = shape == RandomRobotOptions::Shape::kChain;
  std::vector<TestRobot> robots;
  for (int i = 0; i < count; ++i) {
    RandomRobotOptions options;
    options.shape = shape;
    options.dof = fewest + i % (most - fewest + 1);
    options.friction = friction;
    const std::uint64_t seed = (chain ? 1000 : 2000) + i;
    RandomRobot robot = MakeRandomRobot(seed, options);
    robots.push_back(
        Load((chain ? "random chain " : "random tree ") + std::to_string(seed),
             std::move(robot.urdf), std::move(robot.tip)));
  }
  return robots;
}

std::vector<State> RandomStates(const TestRobot& robot, int count) {
  Random random(42);
  std::vector<State> states;
  states.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    states.push_back(MakeRandomState(*robot.model, random));
  }
  return states;
}

std::string Where(const TestRobot& robot, int state) {
  return robot.name + ", state " + std::to_string(state);
}

std::vector<std::string> JointNames(const Model& model) {
  std::vector<std::string> names;
  for (const Joint& joint : model.joints()) names.push_back(joint.name);
  return names;
}

std::vector<TestRobot> Joined(std::vector<TestRobot> first,
                              std::vector<TestRobot> second) {
  for (TestRobot& robot : second) first.push_back(std::move(robot));
  return first;
}

}  // namespace torqued::testing_support

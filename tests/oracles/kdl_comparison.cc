#include "tests/oracles/kdl_comparison.h"

namespace torqued::testing_support {

using Shape = RandomRobotOptions::Shape;

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

std::vector<TestRobot> Chains() {
  return Joined(DeployedRobots(), RandomRobots(Shape::kChain, 60, 2, 11));
}

std::vector<TestRobot> Trees() { return RandomRobots(Shape::kTree, 60, 3, 22); }

Robot MakeRobot(const TestRobot& robot, ReferenceFrame frame,
                const std::array<double, 3>& gravity) {
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

}  // namespace torqued::testing_support

// What our loader reads against what urdfdom reads from the same text.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <urdf_parser/urdf_parser.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "tests/oracles/robots.h"

namespace torqued::testing_support {
namespace {

JointType TypeOf(const urdf::Joint& joint) {
  switch (joint.type) {
    case urdf::Joint::PRISMATIC:
      return JointType::kPrismatic;
    case urdf::Joint::CONTINUOUS:
      return JointType::kContinuous;
    default:
      return JointType::kRevolute;
  }
}

/// One sentence for everything in which the joint differs.
std::vector<std::string> Differences(const Joint& ours,
                                     const urdf::Joint& theirs) {
  std::vector<std::string> differences;
  const auto expect = [&](bool equal, const char* what) {
    if (!equal) differences.push_back(ours.name + " has another " + what);
  };
  expect(ours.type == TypeOf(theirs), "type");
  expect(ours.parent_link == theirs.parent_link_name, "parent link");
  expect(ours.child_link == theirs.child_link_name, "child link");
  // Ours is normalised.
  expect(std::abs(ours.axis[0] - theirs.axis.x) <= 4e-16 &&
             std::abs(ours.axis[1] - theirs.axis.y) <= 4e-16 &&
             std::abs(ours.axis[2] - theirs.axis.z) <= 4e-16,
         "axis");
  // urdfdom has zeros for what is not given; the limits of a continuous joint
  // mean nothing.
  const auto& limits = ours.limits;
  const auto theirs_or_zero = [&](double urdf::JointLimits::* limit) {
    return theirs.limits ? (*theirs.limits).*limit : 0;
  };
  if (ours.type != JointType::kContinuous) {
    expect(limits.lower == theirs_or_zero(&urdf::JointLimits::lower),
           "lower limit");
    expect(limits.upper == theirs_or_zero(&urdf::JointLimits::upper),
           "upper limit");
  }
  expect(limits.velocity == theirs_or_zero(&urdf::JointLimits::velocity),
         "velocity limit");
  expect(limits.effort == theirs_or_zero(&urdf::JointLimits::effort),
         "effort limit");
  const auto& dynamics = theirs.dynamics;
  expect(ours.damping == (dynamics ? dynamics->damping : 0), "damping");
  expect(ours.friction == (dynamics ? dynamics->friction : 0), "friction");
  return differences;
}

std::vector<std::string> Differences(const Model& ours,
                                     const std::string& urdf) {
  const auto theirs = urdf::parseURDF(urdf);
  if (theirs == nullptr) return {"urdfdom refuses the text"};
  std::vector<std::string> differences;
  std::size_t movable = 0;
  for (const auto& [name, joint] : theirs->joints_) {
    if (joint->type == urdf::Joint::FIXED) continue;
    ++movable;
    const auto index = ours.FindJoint(name);
    if (!index) {
      differences.push_back("no joint " + name);
      continue;
    }
    for (auto& difference : Differences(ours.joints()[*index], *joint)) {
      differences.push_back(std::move(difference));
    }
  }
  if (movable != ours.joints().size()) {
    differences.push_back("another number of joints");
  }
  for (const auto& [name, link] : theirs->links_) {
    if (!ours.FindFrame(name)) differences.push_back("no frame " + name);
  }
  if (theirs->links_.size() != ours.frames().size()) {
    differences.push_back("another number of frames");
  }
  return differences;
}

std::vector<TestRobot> Robots() {
  return Joined(DeployedRobots(),
                RandomRobots(RandomRobotOptions::Shape::kTree, 50, 1, 20,
                             /*friction=*/true));
}

TEST(UrdfdomTest, LoaderReadsTheJointsThatUrdfdomReads) {
  for (const TestRobot& robot : Robots()) {
    ASSERT_NE(robot.model, nullptr) << robot.name;
    EXPECT_THAT(Differences(*robot.model, robot.urdf), ::testing::IsEmpty())
        << robot.name;
  }
}

TEST(UrdfdomTest, ATextWithAnotherNumberIsReadDifferently) {
  const TestRobot robot =
      RandomRobots(RandomRobotOptions::Shape::kChain, 1, 9, 9,
                   /*friction=*/true)
          .front();
  ASSERT_NE(robot.model, nullptr);
  for (const char* attribute :
       {"lower", "upper", "velocity", "effort", "damping", "friction"}) {
    std::string text = robot.urdf;
    const std::string start = std::string(" ") + attribute + "=\"";
    const std::size_t number = text.find(start) + start.size();
    text.replace(number, text.find('"', number) - number, "77");
    EXPECT_THAT(Differences(*robot.model, text), ::testing::SizeIs(1))
        << attribute;
  }
}

}  // namespace
}  // namespace torqued::testing_support

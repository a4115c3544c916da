// What our loader reads against what urdfdom reads from the same text.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <urdf_parser/urdf_parser.h>

#include <cstddef>
#include <string>
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
void Compare(const Joint& ours, const urdf::Joint& theirs,
             std::vector<std::string>& differences) {
  const auto expect = [&](const char* what, const auto& number,
                          const auto& expected) {
    if (number != expected) {
      differences.push_back(ours.name + " has another " + what);
    }
  };
  expect("type", ours.type, TypeOf(theirs));
  expect("parent link", ours.parent_link, theirs.parent_link_name);
  expect("child link", ours.child_link, theirs.child_link_name);
  const Eigen::Vector3d axis(theirs.axis.x, theirs.axis.y, theirs.axis.z);
  const Eigen::Map<const Eigen::Vector3d> our_axis(ours.axis.data());
  // Ours is normalised.
  expect("axis", (our_axis - axis).cwiseAbs().maxCoeff() <= 4e-16, true);
  // urdfdom has zeros for what is not given; the limits of a continuous joint
  // mean nothing.
  const auto& limits = theirs.limits;
  const auto& dynamics = theirs.dynamics;
  if (ours.type != JointType::kContinuous) {
    expect("lower limit", ours.limits.lower, limits ? limits->lower : 0);
    expect("upper limit", ours.limits.upper, limits ? limits->upper : 0);
  }
  expect("velocity limit", ours.limits.velocity, limits ? limits->velocity : 0);
  expect("effort limit", ours.limits.effort, limits ? limits->effort : 0);
  expect("damping", ours.damping, dynamics ? dynamics->damping : 0);
  expect("friction", ours.friction, dynamics ? dynamics->friction : 0);
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
    if (const auto index = ours.FindJoint(name)) {
      Compare(ours.joints()[*index], *joint, differences);
    } else {
      differences.push_back("no joint " + name);
    }
  }
  for (const auto& [name, link] : theirs->links_) {
    if (!ours.FindFrame(name)) differences.push_back("no frame " + name);
  }
  if (movable != ours.joints().size() ||
      theirs->links_.size() != ours.frames().size()) {
    differences.push_back("another number of joints or frames");
  }
  return differences;
}

TEST(UrdfdomTest, LoaderReadsTheJointsThatUrdfdomReads) {
  for (const TestRobot& robot : WithDeployed(RandomRobots(
           RandomRobotOptions::Shape::kTree, 50, 1, 20, /*friction=*/true))) {
    ASSERT_NE(robot.model, nullptr) << robot.name;
    EXPECT_THAT(Differences(*robot.model, robot.urdf), ::testing::IsEmpty())
        << robot.name;
  }
}

}  // namespace
}  // namespace torqued::testing_support

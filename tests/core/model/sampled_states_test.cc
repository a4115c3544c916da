#include "core/model/checks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <vector>

namespace torqued {
namespace {

Joint Hinge(double lower, double upper) {
  Joint joint;
  joint.limits.lower = lower;
  joint.limits.upper = upper;
  return joint;
}

TEST(SampledStates, BeginAtHomeAndStayInsideTheLimits) {
  std::vector<Joint> joints = {Hinge(0.5, 0.7), Hinge(-1e9, 1e9), Joint{},
                               Joint{}};
  joints[3].type = JointType::kPrismatic;
  SampledStates states(joints, 1);
  EXPECT_EQ(states.count(), 33);
  for (const double q : states.Next()) EXPECT_EQ(q, 0);
  for (int k = 1; k < states.count(); ++k) {
    const std::span<const double> q = states.Next();
    EXPECT_GE(q[0], 0.5);
    EXPECT_LE(q[0], 0.7);
    EXPECT_LE(std::abs(q[1]), 2 * std::numbers::pi);
    EXPECT_LE(std::abs(q[2]), std::numbers::pi);
    EXPECT_LE(std::abs(q[3]), 1);
  }
}

TEST(SampledStates, AreThoseOfTheirSeed) {
  const std::vector<Joint> joints(3);
  SampledStates one(joints, 5), same(joints, 5), other(joints, 6);
  one.Next(), same.Next(), other.Next();
  const std::span<const double> q = one.Next();
  EXPECT_TRUE(std::ranges::equal(q, same.Next()));
  EXPECT_FALSE(std::ranges::equal(q, other.Next()));
}

TEST(SampledStates, AreFewOfManyJoints) {
  const std::vector<Joint> joints(1024);
  EXPECT_EQ(SampledStates(joints, 0).count(), 17);
}

}  // namespace
}  // namespace torqued

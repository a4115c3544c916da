#include "core/model/precision_choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <vector>

#include "core/model/sampled_states.h"

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

class PrecisionChoiceTest : public ::testing::Test {
 protected:
  /// With a rule that doubts the first `doubtful` states.
  PrecisionChoice Choose(int doubtful) {
    left_ = doubtful;
    return ChoosePrecision({1, &body_}, joints_, 0, Rule, {});
  }
  static bool Rule(const Tree& /*tree*/, std::span<const double> /*q*/) {
    return left_-- > 0;
  }

  static int left_;
  const TreeBody body_{};
  const std::vector<Joint> joints_ = std::vector<Joint>(1);
};

int PrecisionChoiceTest::left_ = 0;

TEST_F(PrecisionChoiceTest, IsThatOfMostStates) {
  EXPECT_FALSE(Choose(0).needs_double);
  EXPECT_FALSE(Choose(16).needs_double);
  EXPECT_TRUE(Choose(17).needs_double);
  EXPECT_TRUE(Choose(33).needs_double);
}

TEST_F(PrecisionChoiceTest, IsSingleWithoutARule) {
  EXPECT_FALSE(
      ChoosePrecision({1, &body_}, joints_, 0, nullptr, {}).needs_double);
}

TEST_F(PrecisionChoiceTest, EndsWhenCancelled) {
  left_ = 33;
  int asked = 0;
  const PrecisionChoice choice = ChoosePrecision(
      {1, &body_}, joints_, 0, Rule, [&asked] { return ++asked == 3; });
  EXPECT_TRUE(choice.cancelled);
  EXPECT_FALSE(choice.needs_double);
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(left_, 31);
}

}  // namespace
}  // namespace torqued

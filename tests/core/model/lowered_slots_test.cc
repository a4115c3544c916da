// The slots and marks of a lowered tree lead its passes from body to body.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/model/lowering.h"
#include "tests/core/model/slot_passes.h"
#include "tests/core/model/test_trees.h"

namespace torqued {
namespace {

using testing_support::Random;

TEST(LoweredSlots, PassesFindParentsAndChildrenThroughTheSlots) {
  std::vector<TestTree> trees = ReasonableTrees();
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    trees.push_back(RandomTree(seed, 60, 0.2, 0.2 + 0.03 * seed));
  }
  int most = 0;
  for (const TestTree& tree : trees) {
    const LoweredModel lowered(tree.tree());
    EXPECT_TRUE(EveryChildFindsItsParent(lowered.f64())) << tree.name;
    EXPECT_TRUE(EveryParentFindsItsChildren(lowered.f64())) << tree.name;
    int used = 0;
    for (int i = 0; i < lowered.f64().n; ++i) {
      used = std::max(used, lowered.f64().bodies[i].slot + 1);
    }
    EXPECT_EQ(lowered.f64().slots, used) << tree.name;
    most = std::max(most, used);
  }
  EXPECT_GE(most, 4);
}

TEST(LoweredSlots, PassesNeedTheSlotsAsTheyAre) {
  // The twin: a fork in the first of two arms.
  Random random(15);
  TestTree tree;
  for (const int parent : {kBase, 0, 1, 1, 0}) {
    AddBody(parent, JointMotion::kRevolute, AxisRelation::kAny, random, tree);
  }
  const LoweredModel lowered(tree.tree());
  std::vector<LoweredBody<double>> bodies(
      lowered.f64().bodies, lowered.f64().bodies + lowered.f64().n);
  LoweredTreeOf<double> twin = lowered.f64();
  ASSERT_EQ(twin.slots, 2);
  EXPECT_TRUE(EveryChildFindsItsParent(twin));
  EXPECT_TRUE(EveryParentFindsItsChildren(twin));
  twin.slots = 1;
  EXPECT_FALSE(EveryChildFindsItsParent(twin));
  twin = lowered.f64();
  twin.bodies = bodies.data();
  bodies[1].slot = 0;
  EXPECT_FALSE(EveryChildFindsItsParent(twin));
  EXPECT_FALSE(EveryParentFindsItsChildren(twin));
  bodies[1].slot = 1;
  std::swap(bodies[2].last_child, bodies[3].last_child);
  EXPECT_FALSE(EveryParentFindsItsChildren(twin));
}

}  // namespace
}  // namespace torqued

#include <gtest/gtest.h>

#include <vector>

#include "core/dynamics/pivot_rule.h"
#include "tests/core/model/descriptions.h"
#include "tests/support/load_model.h"

namespace torqued {
namespace {

TEST(PivotRule, FindsNoSingularJointOfArms) {
  for (const char* name : {"panda", "ur5e", "planar_2r"}) {
    const auto model = testing_support::ShippedModel(name);
    ASSERT_NE(model, nullptr);
    std::vector<double> q(static_cast<std::size_t>(model->nq()), 0.0);
    EXPECT_TRUE(PivotRule(model->tree()).At(q.data()).regular()) << name;
    for (double& angle : q) angle = 0.7;
    EXPECT_TRUE(PivotRule(model->tree()).At(q.data()).regular()) << name;
  }
}

TEST(PivotRule, NamesTheFirstOfTwoJointsOnOneAxis) {
  // The two are on one axis at q2 = 0 and 90 degrees apart at q2 = π/2.
  const LoadResult result = Build(
      {MasslessLink("base"), MasslessLink("ring"), MasslessLink("cross"),
       Link("arm", 1, {0, 0, 1})},
      {JointOf("a", JointKind::kContinuous, "base", "ring", {}, {0, 0, 1}),
       JointOf("b", JointKind::kContinuous, "ring", "cross", {}, {0, 1, 0}),
       JointOf("c", JointKind::kContinuous, "cross", "arm", {}, {0, 0, 1})});
  ASSERT_NE(result.model, nullptr) << Messages(result.report);
  const std::vector<double> straight = {0.3, 0, 0.4}, bent = {0.3, 1.5, 0.4};
  PivotRule rule(result.model->tree());
  EXPECT_EQ(rule.At(straight.data()).joint, 0);
  EXPECT_TRUE(rule.At(bent.data()).regular());
}

}  // namespace
}  // namespace torqued

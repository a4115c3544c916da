#include "core/model/checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "tests/core/model/descriptions.h"

namespace torqued {
namespace {

using testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

JointDescription GoodJoint() {
  JointDescription joint =
      JointOf("j", JointKind::kRevolute, "base", "arm", {0, 0, 1});
  joint.limits = {.lower = -1, .upper = 1, .velocity = 2, .effort = 3};
  joint.line = 10;
  joint.axis_line = 11;
  joint.limit_line = 12;
  joint.dynamics_line = 13;
  return joint;
}

LoadResult BuildWith(const std::function<void(JointDescription&)>& change) {
  JointDescription joint = GoodJoint();
  change(joint);
  return Build({MasslessLink("base"), Link("arm", 1)}, {joint});
}

LoadResult BuildWithLink(const std::function<void(LinkDescription&)>& change) {
  LinkDescription link = Link("arm", 1);
  link.line = 5;
  link.inertial->line = 6;
  change(link);
  return Build({MasslessLink("base"), link}, {GoodJoint()});
}

Finding Only(const LoadResult& result) {
  EXPECT_EQ(result.report.findings().size(), 1u) << Messages(result.report);
  return result.report.findings().empty() ? Finding{}
                                          : result.report.findings()[0];
}

TEST(DescriptionChecks, GoodDescriptionsHaveNoFindings) {
  EXPECT_THAT(BuildWith([](auto&) {}).report.findings(), testing::IsEmpty());
  EXPECT_THAT(BuildWithLink([](auto&) {}).report.findings(),
              testing::IsEmpty());
}

TEST(DescriptionChecks, EveryNumberOfAJointMustBeFinite) {
  const std::vector<std::pair<int, std::function<double&(JointDescription&)>>>
      numbers = {
          {10, [](auto& j) -> double& { return j.origin.p[1]; }},
          {10, [](auto& j) -> double& { return j.origin.R[5]; }},
          {11, [](auto& j) -> double& { return j.axis[2]; }},
          {12, [](auto& j) -> double& { return *j.limits.lower; }},
          {12, [](auto& j) -> double& { return *j.limits.upper; }},
          {12, [](auto& j) -> double& { return *j.limits.velocity; }},
          {12, [](auto& j) -> double& { return *j.limits.effort; }},
          {13, [](auto& j) -> double& { return j.damping; }},
          {13, [](auto& j) -> double& { return j.friction; }},
          {13, [](auto& j) -> double& { return j.armature; }},
      };
  for (const auto& [line, number] : numbers) {
    for (const double bad : {kNan, kInf, -kInf}) {
      const LoadResult result =
          BuildWith([&](JointDescription& joint) { number(joint) = bad; });
      EXPECT_EQ(Only(result).code, LintCode::kInvalidNumber);
      EXPECT_EQ(Only(result).joint, "j");
      EXPECT_EQ(Only(result).line, line);
      EXPECT_EQ(result.model, nullptr);
    }
  }
}

TEST(DescriptionChecks, EveryNumberOfALinkMustBeFinite) {
  const std::vector<std::function<double&(LinkInertial&)>> numbers = {
      [](auto& i) -> double& { return i.mass; },
      [](auto& i) -> double& { return i.inertia[0]; },
      [](auto& i) -> double& { return i.inertia[4]; },
      [](auto& i) -> double& { return i.origin.p[0]; },
      [](auto& i) -> double& { return i.origin.R[8]; },
  };
  for (const auto& number : numbers) {
    for (const double bad : {kNan, kInf, -kInf}) {
      const LoadResult result = BuildWithLink(
          [&](LinkDescription& link) { number(*link.inertial) = bad; });
      EXPECT_EQ(Only(result).code, LintCode::kInvalidNumber);
      EXPECT_EQ(Only(result).link, "arm");
      EXPECT_EQ(Only(result).line, 6);
      EXPECT_EQ(result.model, nullptr);
    }
  }
}

TEST(DescriptionChecks, PosesMustBeRotations) {
  const std::array<double, 9> mirror = {-1, 0, 0, 0, 1, 0, 0, 0, 1};
  const std::array<double, 9> scaled = {2, 0, 0, 0, 2, 0, 0, 0, 2};
  const std::array<double, 9> skew = {1, 0.001, 0, 0, 1, 0, 0, 0, 1};
  const std::array<double, 9> zero{};
  for (const auto& R : {mirror, scaled, skew, zero}) {
    const LoadResult joint =
        BuildWith([&](JointDescription& j) { j.origin.R = R; });
    EXPECT_EQ(Only(joint).code, LintCode::kInvalidPose);
    EXPECT_EQ(Only(joint).severity, Severity::kError);
    EXPECT_EQ(Only(joint).joint, "j");
    EXPECT_EQ(Only(joint).line, 10);
    const LoadResult link =
        BuildWithLink([&](LinkDescription& l) { l.inertial->origin.R = R; });
    EXPECT_EQ(Only(link).code, LintCode::kInvalidPose);
    EXPECT_EQ(Only(link).link, "arm");
    EXPECT_EQ(Only(link).line, 6);
  }
  EXPECT_NE(BuildWith([](JointDescription& j) {
              j.origin = Pose::FromXyzRpy({0, 0, 0}, {1, 2, 3});
            }).model,
            nullptr);
}

TEST(DescriptionChecks, UnitAxesAreKeptToTheBit) {
  for (const auto& axis : std::vector<std::array<double, 3>>{
           {1, 0, 0}, {0, -1, 0}, {0.6, 0, 0.8}}) {
    const LoadResult result =
        BuildWith([&](JointDescription& j) { j.axis = axis; });
    ASSERT_NE(result.model, nullptr);
    EXPECT_EQ(result.model->joints()[0].axis, axis);
    EXPECT_THAT(result.model->tree().bodies[0].axis,
                testing::ElementsAreArray(axis));
  }
}

TEST(DescriptionChecks, AxesOfAnyLengthAreNormalised) {
  for (const double length : {5e-324, 1e-200, 0.5, 3.0, 1e200, 1.7e308}) {
    const LoadResult result =
        BuildWith([&](JointDescription& j) { j.axis = {0, length, -length}; });
    ASSERT_NE(result.model, nullptr) << length;
    EXPECT_EQ(Only(result).code, LintCode::kNonUnitAxis);
    EXPECT_EQ(Only(result).line, 11);
    EXPECT_THAT(result.model->joints()[0].axis,
                testing::ElementsAre(0, testing::DoubleEq(std::sqrt(0.5)),
                                     testing::DoubleEq(-std::sqrt(0.5))));
  }
}

TEST(DescriptionChecks, AxisOfAFixedJointIsNotLookedAt) {
  const LoadResult result = BuildWith([](JointDescription& j) {
    j.type = JointKind::kFixed;
    j.axis = {0, 0, 0};
  });
  EXPECT_EQ(Count(result.report, LintCode::kZeroAxis), 0);
  EXPECT_NE(result.model, nullptr);
}

TEST(DescriptionChecks, NegativeArmatureIsRefused) {
  const LoadResult result =
      BuildWith([](JointDescription& j) { j.armature = -1; });
  EXPECT_EQ(Only(result).code, LintCode::kNegativeInertia);
  EXPECT_EQ(Only(result).joint, "j");
}

TEST(DescriptionChecks, InertiaIsJudgedAtAnyScale) {
  // The same shape, tiny and huge: one plate at the border, one beyond.
  for (const double scale : {1e-300, 1e-9, 1.0, 1e9, 1e300}) {
    const auto with = [&](std::array<double, 3> moments) {
      return BuildWithLink([&](LinkDescription& link) {
        for (int k : {0, 3, 5}) link.inertial->inertia[k] = 0;
        link.inertial->inertia[0] = moments[0] * scale;
        link.inertial->inertia[3] = moments[1] * scale;
        link.inertial->inertia[5] = moments[2] * scale;
      });
    };
    EXPECT_EQ(with({1, 2, 3}).report.findings().size(), 0u) << scale;
    EXPECT_EQ(Only(with({1, 2, 3.1})).code, LintCode::kTriangleInequality);
    EXPECT_EQ(Only(with({1, -0.1, 1})).code, LintCode::kNegativeInertia);
    // Six digits of a thin rod that stands askew are still a rod.
    EXPECT_EQ(with({1, -1e-7, 1}).report.findings().size(), 0u) << scale;
  }
}

TEST(DescriptionChecks, RodTypedWithSixDigitsIsFine) {
  // A rod along (1, 2, 3)/√14 with unit moment: 1 − d dᵀ, rounded.
  const LoadResult result = BuildWithLink([](LinkDescription& link) {
    link.inertial->inertia = {0.928571, -0.142857, -0.214286,
                              0.714286, -0.428571, 0.357143};
  });
  EXPECT_THAT(result.report.findings(), testing::IsEmpty())
      << Messages(result.report);
}

TEST(DescriptionChecks, MimicsThatFollowOneAnotherInACircleAreRefused) {
  const auto star =
      [](const std::vector<std::pair<std::string, std::string>>& mimics) {
        std::vector<LinkDescription> links = {MasslessLink("base")};
        std::vector<JointDescription> joints;
        for (const auto& [name, leader] : mimics) {
          links.push_back(Link("link_" + name, 1));
          joints.push_back(
              JointOf(name, JointKind::kContinuous, "base", "link_" + name));
          if (!leader.empty()) {
            joints.back().mimic = JointDescription::MimicOf{
                .joint = leader, .multiplier = 1, .offset = 0, .line = 0};
          }
        }
        return Build(links, joints);
      };
  const LoadResult circle =
      star({{"a", "b"}, {"b", "c"}, {"c", "b"}, {"d", ""}});
  EXPECT_EQ(circle.report.errors(), 1) << Messages(circle.report);
  EXPECT_EQ(circle.report.findings()[0].code, LintCode::kUnknownMimicTarget);
  EXPECT_EQ(circle.report.findings()[0].joint, "b");
  EXPECT_THAT(circle.report.findings()[0].message, HasSubstr("leads back"));

  const LoadResult chain =
      star({{"a", "b"}, {"b", "c"}, {"c", "d"}, {"d", ""}});
  ASSERT_NE(chain.model, nullptr) << Messages(chain.report);
  EXPECT_EQ(Count(chain.report, LintCode::kMimicIndependent), 1);
  EXPECT_EQ(chain.report.infos(), 3);
  EXPECT_EQ(chain.model->joints()[0].mimic->joint, 1);
}

TEST(DescriptionChecks, NamesAreChecked) {
  const auto code_of = [](const std::string& name) {
    LintReport report;
    CheckName("link", name, {.link = name, .line = 3}, report);
    return report.findings().empty() ? std::string()
                                     : report.findings()[0].message;
  };
  EXPECT_THAT(code_of(""), HasSubstr("empty"));
  EXPECT_THAT(code_of(std::string(257, 'a')), HasSubstr("257 bytes"));
  EXPECT_THAT(code_of("a\tb"), HasSubstr("U+0009 at byte 1"));
  EXPECT_THAT(code_of(std::string("a\0b", 3)), HasSubstr("U+0000"));
  EXPECT_THAT(code_of("a\x7F"), HasSubstr("U+007F"));
  EXPECT_THAT(code_of("\xC3\xA9\xE2\x80\xAE"), HasSubstr("U+202E at byte 2"));
  EXPECT_THAT(code_of("a\xC3"), HasSubstr("UTF-8"));
  EXPECT_EQ(code_of(std::string(256, 'a')), "");
  EXPECT_EQ(code_of(" a/b \xC3\xA9"), "");
}

}  // namespace
}  // namespace torqued

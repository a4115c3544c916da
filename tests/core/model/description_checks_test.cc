#include "core/model/assembly.h"

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

using enum Validation;
using testing::DoubleEq;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

/// A robot without findings that is changed.
LoadResult BuildWith(
    const std::function<void(JointDescription&, LinkDescription&)>& change) {
  JointDescription joint =
      JointOf("j", JointKind::kRevolute, "base", "arm", {0, 0, 1});
  joint.limits = {.lower = -1, .upper = 1, .velocity = 2, .effort = 3};
  joint.line = 10;
  joint.axis_line = 11;
  joint.limit_line = 12;
  joint.dynamics_line = 13;
  LinkDescription link = Link("arm", 1);
  link.line = 5;
  link.inertial->line = 6;
  change(joint, link);
  return Build({MasslessLink("base"), link}, {joint});
}

/// The error is the only finding and says where it is.
void ExpectRefused(const LoadResult& result, LintCode code, int line) {
  const Finding finding = Only(result.report);
  EXPECT_EQ(finding.code, code);
  EXPECT_EQ(finding.severity, Severity::kError);
  EXPECT_EQ(finding.joint, line >= 10 ? "j" : "");
  EXPECT_EQ(finding.link, line >= 10 ? "" : "arm");
  EXPECT_EQ(finding.line, line);
  EXPECT_EQ(result.model, nullptr);
}

TEST(DescriptionChecks, EveryNumberMustBeFiniteAndNoArmatureNegative) {
  using Number = std::function<double&(JointDescription&, LinkDescription&)>;
  const std::pair<int, Number> numbers[] = {
      {10, [](auto& j, auto&) -> double& { return j.origin.p[1]; }},
      {10, [](auto& j, auto&) -> double& { return j.origin.R[5]; }},
      {11, [](auto& j, auto&) -> double& { return j.axis[2]; }},
      {12, [](auto& j, auto&) -> double& { return *j.limits.lower; }},
      {12, [](auto& j, auto&) -> double& { return *j.limits.upper; }},
      {12, [](auto& j, auto&) -> double& { return *j.limits.velocity; }},
      {12, [](auto& j, auto&) -> double& { return *j.limits.effort; }},
      {13, [](auto& j, auto&) -> double& { return j.damping; }},
      {13, [](auto& j, auto&) -> double& { return j.friction; }},
      {13, [](auto& j, auto&) -> double& { return j.armature; }},
      {6, [](auto&, auto& l) -> double& { return l.inertial->mass; }},
      {6, [](auto&, auto& l) -> double& { return l.inertial->inertia[0]; }},
      {6, [](auto&, auto& l) -> double& { return l.inertial->inertia[4]; }},
      {6, [](auto&, auto& l) -> double& { return l.inertial->origin.p[0]; }},
      {6, [](auto&, auto& l) -> double& { return l.inertial->origin.R[8]; }},
  };
  for (const auto& [line, number] : numbers) {
    for (const double bad : {kNan, kInf, -kInf}) {
      ExpectRefused(BuildWith([&](auto& joint, auto& link) {
                      number(joint, link) = bad;
                    }),
                    LintCode::kInvalidNumber, line);
    }
  }
  ExpectRefused(BuildWith([](auto& joint, auto&) { joint.armature = -1; }),
                LintCode::kNegativeInertia, 13);
}

TEST(DescriptionChecks, PosesMustBeRotations) {
  const std::array<double, 9> mirror = {-1, 0, 0, 0, 1, 0, 0, 0, 1};
  const std::array<double, 9> scaled = {2, 0, 0, 0, 2, 0, 0, 0, 2};
  const std::array<double, 9> skew = {1, 0.001, 0, 0, 1, 0, 0, 0, 1};
  for (const auto& R : {mirror, scaled, skew, {}}) {
    ExpectRefused(BuildWith([&](auto& joint, auto&) { joint.origin.R = R; }),
                  LintCode::kInvalidPose, 10);
    ExpectRefused(
        BuildWith([&](auto&, auto& link) { link.inertial->origin.R = R; }),
        LintCode::kInvalidPose, 6);
  }
  EXPECT_EQ(Messages(BuildWith([](auto& joint, auto&) {
                       joint.origin = Pose::FromXyzRpy({0, 0, 0}, {1, 2, 3});
                     }).report),
            "");
}

TEST(DescriptionChecks, AxesOfAnyLengthAreNormalised) {
  for (const double length : {5e-324, 1e-200, 0.5, 3.0, 1e200, 1.7e308}) {
    const LoadResult result = BuildWith(
        [&](auto& joint, auto&) { joint.axis = {0, length, -length}; });
    ASSERT_NE(result.model, nullptr) << length;
    EXPECT_EQ(Only(result.report).code, LintCode::kNonUnitAxis);
    EXPECT_EQ(Only(result.report).line, 11);
    EXPECT_THAT(
        result.model->joints()[0].axis,
        ElementsAre(0, DoubleEq(std::sqrt(0.5)), DoubleEq(-std::sqrt(0.5))));
  }
}

TEST(DescriptionChecks, InertiaIsJudgedAtAnyScale) {
  // The same shape, tiny and huge: one plate at the border, one beyond.
  for (const double scale : {1e-300, 1e-9, 1.0, 1e9, 1e300}) {
    const auto with = [&](std::array<double, 6> inertia) {
      for (double& x : inertia) x *= scale;
      return BuildWith(
                 [&](auto&, auto& link) { link.inertial->inertia = inertia; })
          .report;
    };
    EXPECT_EQ(Messages(with({1, 0, 0, 2, 0, 3})), "") << scale;
    EXPECT_EQ(Only(with({1, 0, 0, 2, 0, 3.1})).code,
              LintCode::kTriangleInequality);
    EXPECT_EQ(Only(with({1, 0, 0, -0.1, 0, 1})).code,
              LintCode::kNegativeInertia);
    // Six digits of a thin rod that stands askew are still a rod.
    EXPECT_EQ(Messages(with({1, 0, 0, -1e-7, 0, 1})), "") << scale;
    // One along (1, 2, 3)/√14 with unit moment: 1 − d dᵀ, rounded.
    EXPECT_EQ(Messages(with({0.928571, -0.142857, -0.214286, 0.714286,
                             -0.428571, 0.357143})),
              "");
  }
}

/// Joints on the base, each with the name of the one it follows, if any.
LoadResult Followers(
    const std::vector<std::pair<std::string, std::string>>& mimics) {
  std::vector<LinkDescription> links = {MasslessLink("base")};
  std::vector<JointDescription> joints;
  for (const auto& [name, leader] : mimics) {
    links.push_back(Link("link_" + name, 1));
    joints.push_back(
        JointOf(name, JointKind::kContinuous, "base", "link_" + name));
    if (!leader.empty()) {
      joints.back().mimic = JointDescription::MimicOf{.joint = leader};
    }
  }
  return Build(links, joints);
}

TEST(DescriptionChecks, MimicsThatFollowOneAnotherInACircleAreRefused) {
  const LoadResult circle =
      Followers({{"a", "b"}, {"b", "c"}, {"c", "b"}, {"d", ""}});
  EXPECT_EQ(circle.report.errors(), 1) << Messages(circle.report);
  EXPECT_EQ(circle.report.findings()[0].code, LintCode::kUnknownMimicTarget);
  EXPECT_EQ(circle.report.findings()[0].joint, "b");
  EXPECT_THAT(circle.report.findings()[0].message, HasSubstr("leads back"));

  const LoadResult chain =
      Followers({{"a", "b"}, {"b", "c"}, {"c", "d"}, {"d", ""}});
  ASSERT_NE(chain.model, nullptr) << Messages(chain.report);
  EXPECT_EQ(Count(chain.report, LintCode::kMimicIndependent), 1);
  EXPECT_EQ(chain.report.infos(), 3);
  EXPECT_EQ(chain.model->joints()[0].mimic->joint, 1);
}

TEST(DescriptionChecks, NamesThatNoXmlHoldsAreRefusedToo) {
  const std::pair<std::string, const char*> names[] = {
      {std::string("a\0b", 3), "U+0000 at byte 1"}, {"a\xC3", "UTF-8"}};
  for (const auto& [name, message] : names) {
    LintReport report;
    CheckName("link", name, {.link = name, .line = 3}, report);
    EXPECT_THAT(Only(report).message, HasSubstr(message));
  }
}

const LinkDescription kArm = Link("arm", 2, {0.3, 0, 0});

/// An arm that turns about z, with `link` on a fixed joint at `carrier`.
LoadResult ArmAnd(const LinkDescription& link, const std::string& carrier,
                  const BuildOptions& options = {}) {
  return Build({MasslessLink("base"), kArm, link},
               {JointOf("turn", JointKind::kContinuous, "base", "arm"),
                JointOf("weld", JointKind::kFixed, carrier, link.name)},
               options);
}

LinkDescription Tensor(double mass, std::array<double, 6> inertia,
                       std::array<double, 3> com = {0, 0, 0}) {
  LinkDescription link = Link("part", mass, com);
  link.inertial->inertia = inertia;
  return link;
}

/// As published: 1 mg with moments that no body has.
const LinkDescription kAntenna =
    Tensor(1e-6, {2.371e-8, 6.119e-8, 1.179e-8, 2.833e-8, 0.774e-8, 3.849e-8});

/// The finding of a code.
Finding Find(const LoadResult& result, LintCode code) {
  for (const Finding& finding : result.report.findings()) {
    if (finding.code == code) return finding;
  }
  ADD_FAILURE() << "not found among\n" << Messages(result.report);
  return {.severity = Severity::kInfo};
}

TEST(MassChecks, AnErrorIsAWarningWhereNoAnswerFollowsFromItOrIfLenient) {
  const LinkDescription odd = Tensor(3, {0.1, 0.2, 0, 0.1, 0, 0.1});
  const LinkDescription negative = Tensor(-1, {1, 0, 0, 1, 0, 1});
  // No body, but near one: the default only warns.
  const LinkDescription wide = Tensor(1, {1, 0, 0, 2, 0, 3.1});
  const LinkDescription infinite =
      Tensor(1, {std::numeric_limits<double>::infinity(), 0, 0, 1, 0, 1});
  const struct {
    const LinkDescription& link;
    const char* carrier;
    Validation validation;
    bool taken;
    const char* message = "";  // part of it
    LintCode code = LintCode::kNegativeInertia;
  } cases[] = {
      {kAntenna, "base", kDefault, true, "enters no quantity"},
      {kAntenna, "base", kLenient, true, "enters no quantity"},
      {kAntenna, "base", kStrict, false, "validation default"},
      {negative, "base", kDefault, true, "", LintCode::kNegativeMass},
      {kAntenna, "arm", kDefault, false, "or use validation lenient"},
      {kAntenna, "arm", kStrict, false},
      {kAntenna, "arm", kLenient, true},
      {odd, "arm", kDefault, false, "or use validation lenient"},
      {odd, "arm", kLenient, true},
      {wide, "arm", kDefault, true, "", LintCode::kTriangleInequality},
      {wide, "arm", kStrict, false, "", LintCode::kTriangleInequality},
      // What cannot be computed is refused by all.
      {infinite, "base", kDefault, false, "", LintCode::kInvalidNumber},
      {infinite, "base", kStrict, false, "", LintCode::kInvalidNumber},
      {infinite, "base", kLenient, false, "", LintCode::kInvalidNumber},
  };
  for (const auto& is : cases) {
    const LoadResult result =
        ArmAnd(is.link, is.carrier, {.validation = is.validation});
    SCOPED_TRACE(Messages(result.report));
    EXPECT_EQ(result.model != nullptr, is.taken);
    const Finding finding = Find(result, is.code);
    EXPECT_EQ(finding.severity,
              is.taken ? Severity::kWarning : Severity::kError);
    EXPECT_EQ(finding.link, "part");
    EXPECT_THAT(finding.message, HasSubstr(is.message));
  }
}

TEST(MassChecks, DustOnAZeroTensorIsNoFinding) {
  const LinkDescription dust =
      Tensor(1.33687, {0, 0, 2.40741e-35, 0, 0, 0}, {0.0185, -0.1108, 0});
  // Of a triangle inequality as well: a rod of no moments but rounding.
  const LinkDescription rod =
      Tensor(1, {1e-18, 0, 0, 1e-21, 0, 0}, {0.1, 0, 0});
  for (const Validation validation : {kDefault, kStrict, kLenient}) {
    for (const LinkDescription& link : {dust, rod}) {
      const LoadResult result =
          Build({MasslessLink("base"), link},
                {JointOf("neck", JointKind::kContinuous, "base", "part")},
                {.validation = validation});
      EXPECT_NE(result.model, nullptr);
      EXPECT_THAT(result.report.findings(), IsEmpty())
          << Messages(result.report);
    }
  }
}

/// As ArmAnd where the reader found an error, so that parts are incomplete.
LoadResult SpoiltArmAnd(const LinkDescription& part, const std::string& carrier,
                        const LinkDescription& arm, bool turn_is_incomplete,
                        bool weld_is_incomplete = false) {
  RobotDescription robot{.name = "test",
                         .links = {MasslessLink("base"), arm, part}};
  robot.report.Add(LintCode::kInvalidNumber, {}, "not a number");
  JointDescription turn =
      JointOf("turn", JointKind::kContinuous, "base", "arm");
  JointDescription weld = JointOf("weld", JointKind::kFixed, carrier, "part");
  turn.incomplete = turn_is_incomplete;
  weld.incomplete = weld_is_incomplete;
  robot.joints = {turn, weld};
  return BuildModel(std::move(robot));
}

TEST(MassChecks, WhatCouldNotBeReadLeavesOpenWhatItWouldDecide) {
  const auto severity = [](const LoadResult& result, LintCode code) {
    return Find(result, code).severity;
  };
  using enum LintCode;
  // A link that no joint knows: there is no tree.
  EXPECT_EQ(severity(ArmAnd(kAntenna, "amr"), kNegativeInertia),
            Severity::kError);
  // A joint that may be another one, and one that is not before the link.
  EXPECT_EQ(severity(SpoiltArmAnd(kAntenna, "base", kArm, false, true),
                     kNegativeInertia),
            Severity::kError);
  EXPECT_EQ(
      severity(SpoiltArmAnd(kAntenna, "base", kArm, true), kNegativeInertia),
      Severity::kWarning);
  // Neither the mass beside it nor the axis of the joint could be read.
  LinkDescription arm = Link("arm", 0, {0.3, 0, 0}, {0, 0, 0});
  arm.incomplete = true;
  EXPECT_EQ(
      severity(SpoiltArmAnd(Tensor(-1, {1, 0, 0, 1, 0, 1}), "arm", arm, true),
               kNegativeMass),
      Severity::kError);
  // Moments of which ixx was not read are not judged.
  LinkDescription part = Tensor(1, {0, 0.1, 0, 0.1, 0, 0.1});
  part.incomplete = true;
  EXPECT_EQ(Only(SpoiltArmAnd(part, "arm", kArm, false).report).code,
            kInvalidNumber);
}

TEST(MassChecks, LenientRefusesOnlyASingularMassMatrixAndNamesTheJoint) {
  const auto turn = [](const char* name, const char* parent, const char* child,
                       std::array<double, 3> axis = {0, 0, 1}) {
    return JointOf(name, JointKind::kContinuous, parent, child, {}, axis);
  };
  const LinkDescription base = MasslessLink("base");
  // Below what the default calls moving, above what computing loses.
  const auto thin = [&](Validation validation) {
    return Build({base, Link("rod", 1, {0, 0, 0}, {1, 1, 1e-13})},
                 {turn("turn", "base", "rod")}, {.validation = validation});
  };
  // Two joints on one axis with nothing between: singular everywhere, of which
  // the default only warns.
  const auto rings = [&](Validation validation) {
    return Build({base, MasslessLink("ring"), Link("arm", 1, {1, 0, 0})},
                 {turn("a", "base", "ring"), turn("b", "ring", "arm")},
                 {.validation = validation});
  };
  const struct {
    LoadResult result;
    Severity severity;
    const char* joint;
    const char* message;
    LintCode code = LintCode::kMasslessJoint;
  } cases[] = {
      // A negative mass takes away all inertia about the axis, and more.
      {ArmAnd(Tensor(-3, {}, {1, 0, 0}), "arm", {.validation = kLenient}),
       Severity::kError, "turn", ""},
      // A joint that moves nothing at all is no matter of judgement.
      {Build({base, Link("arm", 1, {1, 0, 0}), MasslessLink("finger")},
             {turn("turn", "base", "arm"),
              JointOf("grip", JointKind::kPrismatic, "arm", "finger")},
             {.validation = kLenient}),
       Severity::kError, "grip", "armature"},
      // Two links, the second of which is less than nothing where the elbow is
      // bent: M_11 = 1.1 - 2 sin² q_2, M_12 = 0, M_22 = 3.
      {Build({base, Link("upper", 1), Tensor(-2, {}, {0, 0, 1}),
              Link("tool", 1, {0, 0, 0}, {5, 0.1, 0.1})},
             {turn("shoulder", "base", "upper"),
              turn("elbow", "upper", "part", {1, 0, 0}),
              JointOf("weld", JointKind::kFixed, "part", "tool")},
             {.validation = kLenient}),
       Severity::kError, "shoulder", "at a random state"},
      {thin(kDefault), Severity::kError, "turn", ""},
      {thin(kLenient), Severity::kWarning, "turn", ""},
      {rings(kDefault), Severity::kWarning, "a", "",
       LintCode::kIllConditionedMass},
      {rings(kLenient), Severity::kWarning, "a", "",
       LintCode::kIllConditionedMass},
  };
  for (const auto& [result, severity, joint, message, code] : cases) {
    SCOPED_TRACE(Messages(result.report));
    EXPECT_EQ(result.model == nullptr, severity == Severity::kError);
    EXPECT_EQ(result.report.errors(), severity == Severity::kError ? 1 : 0);
    EXPECT_EQ(Count(result.report, code), 1);
    const Finding finding = Find(result, code);
    EXPECT_EQ(finding.severity, severity);
    EXPECT_EQ(finding.joint, joint);
    EXPECT_THAT(finding.message, HasSubstr(message));
  }
}

TEST(MassChecks, LenientEndsWhenCancelled) {
  int asked = 0;
  const LoadResult result = ArmAnd(
      Tensor(3, {0.1, 0.2, 0, 0.1, 0, 0.1}), "arm",
      {.validation = kLenient, .cancelled = [&asked] { return ++asked == 3; }});
  EXPECT_TRUE(result.cancelled);
  EXPECT_EQ(result.model, nullptr);
  EXPECT_EQ(asked, 3);
}

}  // namespace
}  // namespace torqued

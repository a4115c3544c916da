#include "core/model/checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "tests/core/model/descriptions.h"

namespace torqued {
namespace {

using testing::HasSubstr;

constexpr std::array<double, 3> kX = {1, 0, 0}, kY = {0, 1, 0}, kZ = {0, 0, 1};
constexpr std::array<double, 3> kOrigin = {0, 0, 0};

LinkDescription Point(const std::string& name, double mass,
                      std::array<double, 3> at) {
  return Link(name, mass, at, {0, 0, 0});
}

// Joints j1, j2, ... in a chain from "base", each with its link l1, l2, ...
LoadResult BuildChain(std::vector<JointDescription> joints,
                      std::vector<LinkDescription> links) {
  for (std::size_t i = 0; i < joints.size(); ++i) {
    joints[i].name = "j" + std::to_string(i + 1);
    joints[i].parent = i == 0 ? "base" : links[i - 1].name;
    joints[i].child = links[i].name;
  }
  links.push_back(MasslessLink("base"));
  return Build(links, joints);
}

JointDescription Turn(std::array<double, 3> axis,
                      std::array<double, 3> xyz = kOrigin) {
  return JointOf("", JointKind::kContinuous, "", "", xyz, axis);
}
JointDescription Slide(std::array<double, 3> axis,
                       std::array<double, 3> xyz = kOrigin) {
  return JointOf("", JointKind::kPrismatic, "", "", xyz, axis);
}

// Joints that were found to move no mass.
std::vector<std::string> Massless(const LoadResult& result) {
  std::vector<std::string> names;
  for (const Finding& f : result.report.findings()) {
    if (f.code == LintCode::kMasslessJoint) names.push_back(f.joint);
  }
  EXPECT_EQ(result.model == nullptr, !names.empty());
  return names;
}

using Names = std::vector<std::string>;

TEST(JointsMoveMass, PointMassOnTheAxisIsNone) {
  EXPECT_EQ(Massless(BuildChain({Turn(kZ)}, {Point("l1", 1, {0, 0, 2})})),
            Names{"j1"});
  EXPECT_EQ(Massless(BuildChain({Turn(kZ)}, {Point("l1", 1, {0.01, 0, 2})})),
            Names{});
}

TEST(JointsMoveMass, AFrameMaySlideAlongItsAxis) {
  for (const double along : {0.0, 1.0, 1e3, 1e4}) {
    const LinkDescription rod = Link("l1", 1, {0, 0, along}, {1, 1, 1e-6});
    EXPECT_EQ(Massless(BuildChain({Turn(kZ)}, {rod})), Names{}) << along;
  }
}

TEST(JointsMoveMass, ObliqueAxisIsJudgedWithoutRoundOff) {
  // Of these some leave a small positive inertia about the axis, some a
  // negative one.
  for (int i = 1; i <= 20; ++i) {
    const std::array<double, 3> d = {std::sin(i), std::sin(2 * i),
                                     std::cos(3 * i)};
    const auto at = [&](double s) {
      return std::array<double, 3>{s * d[0], s * d[1], s * d[2]};
    };
    EXPECT_EQ(Massless(BuildChain({Turn(d)}, {Point("l1", 3, at(0.7))})),
              Names{"j1"});
    std::array<double, 3> beside = at(0.7);
    beside[i % 3] += 1e-3;
    EXPECT_EQ(Massless(BuildChain({Turn(d)}, {Point("l1", 3, beside)})),
              Names{});
  }
}

TEST(JointsMoveMass, OffTheAxisElsewhereIsEnough) {
  // Stretched at home, the mass lies on the axis of j1; bending j2 moves it
  // off.
  const LoadResult result =
      BuildChain({Turn(kZ), Turn(kX, {0, 0, 1})},
                 {MasslessLink("l1"), Point("l2", 1, {0, 0, 1})});
  EXPECT_EQ(Massless(result), Names{});
  // At home itself M is singular, and that is said.
  EXPECT_EQ(Count(result.report, LintCode::kIllConditionedMass), 1);
}

TEST(JointsMoveMass, SlidingOffTheAxisIsEnough) {
  EXPECT_EQ(Massless(BuildChain({Turn(kZ), Slide(kX)},
                                {MasslessLink("l1"), Point("l2", 1, kOrigin)})),
            Names{});
  // The twin: along the axis the mass never leaves it.
  EXPECT_EQ(Massless(BuildChain({Turn(kZ), Slide(kZ)},
                                {MasslessLink("l1"), Point("l2", 1, kOrigin)})),
            Names{"j1"});
}

TEST(JointsMoveMass, CoaxialJointsNeverMoveAPointOnTheirAxis) {
  EXPECT_EQ(
      Massless(BuildChain({Turn(kZ), Turn(kZ, {0, 0, 1})},
                          {MasslessLink("l1"), Point("l2", 1, {0, 0, 1})})),
      (Names{"j1", "j2"}));
}

TEST(JointsMoveMass, SliderNeedsMassNotInertia) {
  EXPECT_EQ(Massless(BuildChain({Slide(kX)}, {Link("l1", 0)})), Names{"j1"});
  EXPECT_EQ(Massless(BuildChain({Slide(kX)}, {Point("l1", 1e-9, kOrigin)})),
            Names{});
  EXPECT_EQ(Massless(BuildChain({Turn(kX)}, {Link("l1", 0)})), Names{});
}

TEST(JointsMoveMass, ArmatureIsMassEnough) {
  JointDescription joint = Turn(kZ);
  joint.armature = 1e-6;
  EXPECT_EQ(Massless(BuildChain({joint}, {MasslessLink("l1")})), Names{});
  joint = Slide(kZ);
  joint.armature = 1e-6;
  EXPECT_EQ(Massless(BuildChain({joint}, {MasslessLink("l1")})), Names{});
}

TEST(JointsMoveMass, EveryEmptyJointIsReported) {
  EXPECT_EQ(Massless(BuildChain(
                {Turn(kZ), Slide(kX), Turn(kY)},
                {Link("l1", 1), MasslessLink("l2"), MasslessLink("l3")})),
            (Names{"j2", "j3"}));
}

TEST(JointsMoveMass, MassBehindFixedJointsCounts) {
  std::vector<LinkDescription> links = {MasslessLink("base"),
                                        MasslessLink("l1"), Link("tool", 1)};
  const LoadResult result =
      Build(links, {JointOf("j1", JointKind::kContinuous, "base", "l1"),
                    JointOf("fix", JointKind::kFixed, "l1", "tool")});
  EXPECT_EQ(Massless(result), Names{});
}

TEST(JointsMoveMass, LinkWithAnErrorIsNotCalledMassless) {
  const LoadResult result = BuildChain({Turn(kZ)}, {Point("l1", -1, kX)});
  EXPECT_EQ(result.report.errors(), 1) << Messages(result.report);
  EXPECT_EQ(result.report.findings()[0].code, LintCode::kNegativeMass);
}

TEST(JointsMoveMass, LongChainsAreNotCalledMassless) {
  // Many turned frames between the joint and its one point mass.
  std::vector<JointDescription> joints;
  std::vector<LinkDescription> links;
  for (int i = 1; i <= 300; ++i) {
    JointDescription joint = Turn(i % 2 == 0 ? kX : kY, {0.1, 0.2, 0.3});
    joint.origin.R = Pose::FromXyzRpy({}, {0.3, 0.2, 0.1}).R;
    joints.push_back(joint);
    links.push_back(MasslessLink("l" + std::to_string(i)));
  }
  links.back() = Point("l300", 1, {0.001, 0.001, 0.001});
  EXPECT_EQ(Massless(BuildChain(joints, links)), Names{});
}

TEST(JointsMoveMass, OverflowIsAnErrorOfTheJoint) {
  const LoadResult result = BuildChain({Turn(kZ), Turn(kY, {1e160, 0, 0})},
                                       {Link("l1", 1), Link("l2", 1)});
  ASSERT_EQ(result.report.errors(), 1) << Messages(result.report);
  const Finding& f = result.report.findings()[0];
  EXPECT_EQ(f.code, LintCode::kInvalidNumber);
  EXPECT_EQ(f.joint, "j1");
  EXPECT_EQ(result.model, nullptr);
}

// Two sliders on the base: M = diag(1, m).
LoadResult TwoSliders(double m) {
  return Build({MasslessLink("base"), Link("a", 1), Link("b", m)},
               {JointOf("ja", JointKind::kPrismatic, "base", "a"),
                JointOf("jb", JointKind::kPrismatic, "base", "b")});
}

TEST(MassCondition, IsReportedAboveTheBound) {
  EXPECT_EQ(TwoSliders(1.01e-8).report.findings().size(), 0u);
  const LoadResult result = TwoSliders(1e-9);
  ASSERT_EQ(result.report.findings().size(), 1u);
  const Finding& f = result.report.findings()[0];
  EXPECT_EQ(f.code, LintCode::kIllConditionedMass);
  EXPECT_EQ(f.severity, Severity::kWarning);
  EXPECT_EQ(f.joint, "jb");
  EXPECT_EQ(f.link, "b");
  EXPECT_THAT(f.message, HasSubstr("condition number 1e+09"));
  EXPECT_THAT(f.message, HasSubstr("up to 9 digits"));
  EXPECT_NE(result.model, nullptr);
}

TEST(MassCondition, IsThatOfTheWholeMatrix) {
  // Planar 2R with point masses at q = 0, L1 = L2 = 1, m1 = 1, m2 = 1e-9:
  // M = [m1 + 4 m2, 2 m2; 2 m2, m2].
  const double m = 1e-9;
  const LoadResult result =
      BuildChain({Turn(kZ), Turn(kZ, {1, 0, 0})},
                 {Point("l1", 1, kX), Point("l2", m, kX)});
  const double a = 1 + 4 * m, b = 2 * m, d = m;
  const double mean = (a + d) / 2;
  const double radius = std::hypot((a - d) / 2, b);
  const double largest = mean + radius;
  const double smallest = (a * d - b * b) / largest;
  ASSERT_EQ(Count(result.report, LintCode::kIllConditionedMass), 1);
  EXPECT_THAT(result.report.findings()[0].message,
              HasSubstr(RoundedText(largest / smallest)));
}

TEST(MassCondition, CouplingCountsAlongTheChain) {
  // Two sliders one behind the other along the same axis: with 1 kg each
  // M = [2, 1; 1, 1]; with nothing on the first, M = [1, 1; 1, 1] is singular.
  EXPECT_EQ(BuildChain({Slide(kX), Slide(kX)}, {Link("l1", 1), Link("l2", 1)})
                .report.findings()
                .size(),
            0u);
  const LoadResult result =
      BuildChain({Slide(kX), Slide(kX)}, {MasslessLink("l1"), Link("l2", 1)});
  ASSERT_EQ(Count(result.report, LintCode::kIllConditionedMass), 1);
  EXPECT_THAT(result.report.findings()[0].message, HasSubstr("singular"));
  // The twin: at right angles nothing is wrong.
  EXPECT_EQ(
      BuildChain({Slide(kX), Slide(kY)}, {MasslessLink("l1"), Link("l2", 1)})
          .report.findings()
          .size(),
      0u);
}

TEST(MassCondition, ArmatureCounts) {
  std::vector<JointDescription> joints = {Slide(kX), Slide(kX)};
  joints[0].armature = 1;
  EXPECT_EQ(BuildChain(joints, {MasslessLink("l1"), Link("l2", 1)})
                .report.findings()
                .size(),
            0u);
}

TEST(MassCondition, IsNotComputedForVeryManyJoints) {
  std::vector<LinkDescription> links = {MasslessLink("base")};
  std::vector<JointDescription> joints;
  for (int i = 0; i <= kMaxConditionJoints; ++i) {
    const std::string name = std::to_string(i);
    links.push_back(Link("l" + name, i == 0 ? 1e-12 : 1));
    joints.push_back(
        JointOf("j" + name, JointKind::kPrismatic, "base", "l" + name));
  }
  EXPECT_EQ(Build(links, joints).report.findings().size(), 0u);
  links.pop_back();
  joints.pop_back();
  EXPECT_EQ(Count(Build(links, joints).report, LintCode::kIllConditionedMass),
            1);
}

}  // namespace
}  // namespace torqued

#include "core/model/assembly.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "tests/core/model/descriptions.h"

namespace torqued {
namespace {

using testing::HasSubstr;
using Triple = std::array<double, 3>;
using Names = std::vector<std::string>;

constexpr Triple kX = {1, 0, 0}, kY = {0, 1, 0}, kZ = {0, 0, 1};
constexpr Triple kOrigin = {0, 0, 0};

const LinkDescription kMassless = MasslessLink("");

LinkDescription Body(double mass, Triple at = kOrigin,
                     Triple diagonal = {1, 1, 1}) {
  return Link("", mass, at, diagonal);
}
LinkDescription Point(double mass, Triple at) { return Body(mass, at, {}); }

JointDescription Hinge(Triple axis, Triple xyz = kOrigin) {
  return JointOf("", JointKind::kContinuous, "", "", xyz, axis);
}
JointDescription Slide(Triple axis) {
  return JointOf("", JointKind::kPrismatic, "", "", kOrigin, axis);
}
JointDescription WithArmature(JointDescription joint, double armature) {
  joint.armature = armature;
  return joint;
}

/// Joints j1, j2, ... in a chain from "base", each with its link l1, l2, ...
LoadResult BuildChain(std::vector<JointDescription> joints,
                      std::vector<LinkDescription> links) {
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const std::string number = std::to_string(i + 1);
    joints[i].name = "j" + number;
    joints[i].parent = i == 0 ? "base" : links[i - 1].name;
    joints[i].child = links[i].name = "l" + number;
  }
  links.push_back(MasslessLink("base"));
  return Build(links, joints);
}

/// Exactly these joints are found to move no mass.
void ExpectMassless(const std::vector<JointDescription>& joints,
                    const std::vector<LinkDescription>& links,
                    const Names& expected) {
  const LoadResult result = BuildChain(joints, links);
  Names names;
  for (const Finding& f : result.report.findings()) {
    if (f.code == LintCode::kMasslessJoint) names.push_back(f.joint);
  }
  EXPECT_EQ(names, expected);
  EXPECT_EQ(result.model == nullptr, !names.empty());
}

TEST(JointsMoveMass, UnlessThereIsNoneOrAllIsOnTheAxis) {
  ExpectMassless({Hinge(kZ)}, {Point(1, {0, 0, 2})}, {"j1"});
  ExpectMassless({Hinge(kZ)}, {Point(1, {0.01, 0, 2})}, {});
  // A slider needs mass, not inertia.
  ExpectMassless({Slide(kX)}, {Body(0)}, {"j1"});
  ExpectMassless({Slide(kX)}, {Point(1e-9, kOrigin)}, {});
  ExpectMassless({Hinge(kX)}, {Body(0)}, {});
  // Armature is enough.
  ExpectMassless({WithArmature(Hinge(kZ), 1e-6)}, {kMassless}, {});
  ExpectMassless({WithArmature(Slide(kZ), 1e-6)}, {kMassless}, {});
  // Every empty joint is reported.
  ExpectMassless({Hinge(kZ), Slide(kX), Hinge(kY)},
                 {Body(1), kMassless, kMassless}, {"j2", "j3"});
  // A link with an error is not called massless.
  EXPECT_EQ(Only(BuildChain({Hinge(kZ)}, {Point(-1, kX)}).report).code,
            LintCode::kNegativeMass);
  // A frame may slide along its axis.
  for (const double along : {0.0, 1.0, 1e3, 1e4}) {
    ExpectMassless({Hinge(kZ)}, {Body(1, {0, 0, along}, {1, 1, 1e-6})}, {});
  }
}

TEST(JointsMoveMass, OffTheAxisInAnyStateIsEnough) {
  const Triple up = {0, 0, 1};
  ExpectMassless({Hinge(kZ), Slide(kX)}, {kMassless, Point(1, kOrigin)}, {});
  ExpectMassless({Hinge(kZ), Hinge(kX, up)}, {kMassless, Point(1, up)}, {});
  // Twins: these leave the mass on the axis.
  ExpectMassless({Hinge(kZ), Slide(kZ)}, {kMassless, Point(1, kOrigin)},
                 {"j1"});
  ExpectMassless({Hinge(kZ), Hinge(kZ, up)}, {kMassless, Point(1, up)},
                 {"j1", "j2"});
  // At home itself M is singular, and that is said.
  const LoadResult stretched =
      BuildChain({Hinge(kZ), Hinge(kX, up)}, {kMassless, Point(1, up)});
  EXPECT_EQ(Count(stretched.report, LintCode::kIllConditionedMass), 1);
}

TEST(JointsMoveMass, ObliqueAxisIsJudgedWithoutRoundOff) {
  // Of these some leave a small positive inertia about the axis, some a
  // negative one.
  for (int i = 1; i <= 20; ++i) {
    const Triple d = {std::sin(i), std::sin(2 * i), std::cos(3 * i)};
    Triple at = {0.7 * d[0], 0.7 * d[1], 0.7 * d[2]};
    ExpectMassless({Hinge(d)}, {Point(3, at)}, {"j1"});
    at[i % 3] += 1e-3;
    ExpectMassless({Hinge(d)}, {Point(3, at)}, {});
  }
}

TEST(JointsMoveMass, LongChainsAreNotCalledMassless) {
  // Many turned frames between the joint and its one point mass.
  std::vector<JointDescription> joints;
  for (int i = 1; i <= 300; ++i) {
    joints.push_back(Hinge(i % 2 == 0 ? kX : kY));
    joints.back().origin = Pose::FromXyzRpy({0.1, 0.2, 0.3}, {0.3, 0.2, 0.1});
  }
  std::vector<LinkDescription> links(300, kMassless);
  links.back() = Point(1, {0.001, 0.001, 0.001});
  ExpectMassless(joints, links, {});
}

TEST(JointsMoveMass, OverflowIsAnErrorOfTheJoint) {
  const LoadResult result =
      BuildChain({Hinge(kZ), Hinge(kY, {1e160, 0, 0})}, {Body(1), Body(1)});
  ASSERT_EQ(result.report.errors(), 1) << Messages(result.report);
  EXPECT_EQ(result.report.findings()[0].code, LintCode::kInvalidNumber);
  EXPECT_EQ(result.report.findings()[0].joint, "j1");
}

/// Sliders of these masses on the base: M is diagonal.
LoadResult Sliders(const std::vector<double>& masses) {
  std::vector<LinkDescription> links = {MasslessLink("base")};
  std::vector<JointDescription> joints;
  for (std::size_t i = 0; i < masses.size(); ++i) {
    const std::string number = std::to_string(i);
    links.push_back(Link("l" + number, masses[i]));
    joints.push_back(
        JointOf("j" + number, JointKind::kPrismatic, "base", "l" + number));
  }
  return Build(links, joints);
}

TEST(MassCondition, IsReportedAboveTheBound) {
  EXPECT_EQ(Messages(Sliders({1, 1.01e-8}).report), "");
  const Finding f = Only(Sliders({1, 1e-9}).report);
  EXPECT_EQ(f.code, LintCode::kIllConditionedMass);
  EXPECT_EQ(f.joint, "j1");
  EXPECT_THAT(f.message, HasSubstr("condition number 1e+09"));
  EXPECT_THAT(f.message, HasSubstr("up to 9 digits"));
}

TEST(MassCondition, IsNotComputedForVeryManyJoints) {
  std::vector<double> masses(kMaxConditionJoints, 1);
  masses[0] = 1e-12;
  EXPECT_EQ(Only(Sliders(masses).report).code, LintCode::kIllConditionedMass);
  masses.push_back(1);
  EXPECT_EQ(Messages(Sliders(masses).report), "");
}

TEST(MassCondition, IsThatOfTheWholeMatrix) {
  // Planar 2R with point masses at q = 0, L1 = L2 = 1, m1 = 1, m2 = 1e-9:
  // M = [m1 + 4 m2, 2 m2; 2 m2, m2].
  const double m = 1e-9, a = 1 + 4 * m, b = 2 * m, d = m;
  const double largest = (a + d) / 2 + std::hypot((a - d) / 2, b);
  const double smallest = (a * d - b * b) / largest;
  const LoadResult result =
      BuildChain({Hinge(kZ), Hinge(kZ, kX)}, {Point(1, kX), Point(m, kX)});
  ASSERT_EQ(Count(result.report, LintCode::kIllConditionedMass), 1);
  EXPECT_THAT(result.report.findings()[0].message,
              HasSubstr(RoundedText(largest / smallest)));
}

TEST(MassCondition, CouplingCountsAlongTheChain) {
  // Two sliders one behind the other along the same axis: with 1 kg each
  // M = [2, 1; 1, 1]; with nothing on the first, M = [1, 1; 1, 1] is singular.
  const auto findings = [](const std::vector<JointDescription>& joints,
                           const LinkDescription& first) {
    return BuildChain(joints, {first, Body(1)}).report;
  };
  EXPECT_EQ(Messages(findings({Slide(kX), Slide(kX)}, Body(1))), "");
  const LintReport report = findings({Slide(kX), Slide(kX)}, kMassless);
  ASSERT_EQ(Count(report, LintCode::kIllConditionedMass), 1);
  EXPECT_THAT(report.findings()[0].message, HasSubstr("singular"));
  // Twins: at right angles, or with armature, nothing is wrong.
  for (const JointDescription& first :
       {Slide(kY), WithArmature(Slide(kX), 1)}) {
    EXPECT_EQ(Messages(findings({first, Slide(kX)}, kMassless)), "");
  }
}

TEST(SampledStates, BeginAtHomeAndStayInsideTheLimits) {
  std::vector<Joint> joints(4);
  joints[0].limits.lower = 0.5;
  joints[0].limits.upper = 0.7;
  joints[1].limits.lower = -1e9;
  joints[1].limits.upper = 1e9;
  joints[3].type = JointType::kPrismatic;
  const auto states = SampledStates(joints, 1);
  ASSERT_EQ(states.size(), 33);
  EXPECT_THAT(states[0], testing::Each(0));
  for (std::size_t k = 1; k < states.size(); ++k) {
    const std::vector<double>& q = states[k];
    EXPECT_GE(q[0], 0.5);
    EXPECT_LE(q[0], 0.7);
    EXPECT_LE(std::abs(q[1]), 2 * std::numbers::pi);
    EXPECT_LE(std::abs(q[2]), std::numbers::pi);
    EXPECT_LE(std::abs(q[3]), 1);
  }
  // Fewer of many joints.
  EXPECT_EQ(SampledStates(std::vector<Joint>(1024), 0).size(), 17);
}

}  // namespace
}  // namespace torqued

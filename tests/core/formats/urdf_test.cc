// What LoadUrdf reads, and its options, limits and report.
#include "core/formats/urdf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/tree/tree.h"
#include "tests/core/formats/small_arm.h"

namespace torqued {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;

std::shared_ptr<const Model> Load(std::string_view source) {
  LoadResult result = LoadUrdf(source);
  for (const Finding& f : result.report.findings()) {
    if (f.severity == Severity::kError) ADD_FAILURE() << f.message;
  }
  return result.model;
}

// The only finding of a load.
Finding Only(const LoadResult& result) {
  EXPECT_EQ(result.report.findings().size(), 1u);
  return result.report.findings().empty() ? Finding{}
                                          : result.report.findings()[0];
}

TEST(Urdf, NumbersStandWhereTheyBelong) {
  const LoadResult result = LoadUrdf(kSmallArm);
  EXPECT_THAT(result.report.findings(), IsEmpty());
  const auto& model = result.model;
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(model->name(), "small_arm");
  EXPECT_THAT(model->tip_frame(), Optional(3)) << "the only leaf";
  const Tree tree = model->tree();
  ASSERT_EQ(tree.n, 2);
  const TreeBody& upper = tree.bodies[0];
  EXPECT_THAT(upper.p, ElementsAre(0, 0, 0.1));
  EXPECT_EQ(upper.mass, 2);
  EXPECT_THAT(upper.h, ElementsAre(0, 0, DoubleEq(0.4)));
  // About the origin: ixx + m d² with d = 0.2.
  EXPECT_THAT(upper.I, ElementsAre(DoubleEq(0.11), 0, 0, DoubleEq(0.11), 0,
                                   DoubleEq(0.01)));
  EXPECT_DOUBLE_EQ(model->moving_mass(), 3.25);
}

TEST(Urdf, AbsentPartsHaveTheDefaultsOfUrdf) {
  const auto model = Load(R"(<robot name='r'><link name='base'/>
      <link name='wheel'><inertial><mass value='1'/>
        <inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>
      </inertial></link>
      <joint name='axle' type='continuous'>
        <parent link='base'/><child link='wheel'/></joint></robot>)");
  ASSERT_NE(model, nullptr);
  const TreeBody& body = model->tree().bodies[0];
  EXPECT_THAT(body.axis, ElementsAre(1, 0, 0));
  EXPECT_THAT(body.R, ElementsAre(1, 0, 0, 0, 1, 0, 0, 0, 1));
  EXPECT_THAT(body.p, ElementsAre(0, 0, 0));
  EXPECT_THAT(body.h, ElementsAre(0, 0, 0));
  const Joint& joint = model->joints()[0];
  EXPECT_EQ(joint.type, JointType::kContinuous);
  for (const auto& limit : {joint.limits.lower, joint.limits.upper,
                            joint.limits.effort, joint.limits.velocity}) {
    EXPECT_EQ(limit, std::nullopt);
  }
  EXPECT_EQ(joint.mimic, std::nullopt);
  EXPECT_EQ(joint.damping, 0);
}

TEST(Urdf, OneMissingPositionLimitIsZeroAndTwoAreNone) {
  const auto limits = [](const char* range) {
    return Load(Edited({{"lower='-2' upper='2.5'", range}}))
        ->joints()[0]
        .limits;
  };
  EXPECT_THAT(limits("upper='2.5'").lower, Optional(0.0));
  EXPECT_THAT(limits("upper='2.5'").upper, Optional(2.5));
  EXPECT_EQ(limits("").lower, std::nullopt);
  EXPECT_EQ(limits("").upper, std::nullopt);
  EXPECT_THAT(limits("").effort, Optional(30.0));
}

TEST(Urdf, MimicIsKeptAndIndependent) {
  const auto load = [](const char* mimic) {
    return Load(Edited({{"velocity='4'/>", mimic}}));
  };
  const auto model = load(
      "velocity='4'/><mimic joint='shoulder' multiplier='-2' offset='0.5'/>");
  const auto& mimic = model->joints()[1].mimic;
  ASSERT_TRUE(mimic);
  EXPECT_EQ(mimic->joint, 0);
  EXPECT_EQ(mimic->multiplier, -2);
  EXPECT_EQ(mimic->offset, 0.5);
  EXPECT_EQ(model->nv(), 2);
  const auto plain = load("velocity='4'/><mimic joint='shoulder'/>");
  EXPECT_EQ(plain->joints()[1].mimic->multiplier, 1);
  EXPECT_EQ(plain->joints()[1].mimic->offset, 0);
}

TEST(Urdf, NamesMayHaveAnyPrintableCharacters) {
  const std::string name = "name='bras n\u00B0 2/\u4E0B &amp; &lt;x&gt;'";
  const auto model = Load(Edited({{"name='shoulder'", name}}));
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(model->joints()[0].name, "bras n\u00B0 2/\u4E0B & <x>");
}

TEST(Urdf, ByteOrderMarkAndWindowsLineEndsAreFine) {
  std::string text = "\xEF\xBB\xBF";
  for (const char c : kSmallArm) text += c == '\n' ? "\r\n" : std::string(1, c);
  const LoadResult result = LoadUrdf(text);
  EXPECT_THAT(result.report.findings(), IsEmpty());
  EXPECT_NE(result.model, nullptr);
}

// M_11 = 0.999 - sin² q_2 is not positive at 2 of 100 random states, so that 33
// of them miss these about as often as not.
TEST(UrdfOptions, LenientLooksAtStatesThatTheTextDecides) {
  const std::string robot = R"(<robot name='r'>
    <link name='base'/>
    <link name='upper'><inertial><mass value='1'/><inertia ixx='1' iyy='1'
      izz='0.899' ixy='0' ixz='0' iyz='0'/></inertial></link>
    <link name='part'><inertial><mass value='-1'/><inertia ixx='0' iyy='0'
      izz='0' ixy='0' ixz='0' iyz='0'/><origin xyz='0 0 1'/></inertial></link>
    <link name='tool'><inertial><mass value='1'/><inertia ixx='5' iyy='0.1'
      izz='0.1' ixy='0' ixz='0' iyz='0'/></inertial></link>
    <joint name='turn' type='continuous'><parent link='base'/>
      <child link='upper'/><axis xyz='0 0 1'/></joint>
    <joint name='elbow' type='continuous'><parent link='upper'/>
      <child link='part'/></joint>
    <joint name='weld' type='fixed'><parent link='part'/>
      <child link='tool'/></joint></robot>)";
  const BuildOptions lenient{.validation = Validation::kLenient};
  int taken = 0;
  for (int k = 0; k < 40; ++k) {
    const std::string text = robot + "<!--" + std::to_string(k) + "-->";
    const bool loads = LoadUrdf(text, lenient).model != nullptr;
    EXPECT_EQ(LoadUrdf(text, lenient).model != nullptr, loads);
    taken += loads ? 1 : 0;
  }
  EXPECT_GT(taken, 5);
  EXPECT_LT(taken, 35);
}

TEST(UrdfReport, WhatTheRobotAsAWholeIsRefusedForIsTheOnlyFinding) {
  using enum LintCode;
  const std::size_t size = kSmallArm.size();
  const struct {
    std::string_view source;
    BuildOptions options;
    UrdfLimits limits;
    LintCode code;
    int line;
    const char* message;
  } cases[] = {
      {"\n<robot name='r'/>", {}, {}, kMissingElement, 2, ""},
      {"\n\n<robot name=''><link name='a'/></robot>",
       {},
       {},
       kInvalidName,
       3,
       ""},
      {kSmallArm, {}, {.links = 3}, kTooManyLinks, 2, "4 links; at most 3"},
      {kSmallArm, {}, {.joints = 2}, kTooManyJoints, 2, "3 joints; at most 2"},
      {kSmallArm, {.max_dof = 1}, {}, kTooManyJoints, 2, "2 movable joints"},
      {kSmallArm,
       {},
       {.source_bytes = size - 1},
       kSourceTooLarge,
       0,
       "bytes; at most"},
      {kSmallArm,
       {.default_tip = "hand"},
       {},
       kUnknownTip,
       0,
       "such as 'tool'"},
  };
  for (const auto& is : cases) {
    const LoadResult result = LoadUrdf(is.source, is.options, is.limits);
    EXPECT_EQ(result.model, nullptr);
    const Finding f = Only(result);
    EXPECT_EQ(f.code, is.code);
    EXPECT_EQ(f.line, is.line);
    EXPECT_EQ(f.link, is.options.default_tip);
    EXPECT_THAT(f.message, HasSubstr(is.message));
  }
  const UrdfLimits just_within{.source_bytes = size, .links = 4, .joints = 3};
  EXPECT_NE(LoadUrdf(kSmallArm, {.max_dof = 2}, just_within).model, nullptr);
}

TEST(UrdfReport, IndependentMistakesAreAllListedErrorsFirst) {
  using enum LintCode;
  const LoadResult result =
      LoadUrdf(Edited({{"'small_arm'", "'small_arm' colour='red'"},
                       {"mass value='2'", "mass value='-2'"},
                       {"<axis xyz='0 1 0'/>", "<axis xyz='0 0 0'/>"},
                       {"effort='30'", "effort='x'"},
                       {"effort='20'", "effort='-1'"},
                       {"velocity='4'", "velocity='-4'"},
                       {"</robot>", "<link name='loose'/></robot>"}}));
  std::vector<LintCode> codes;
  for (const Finding& f : result.report.findings()) codes.push_back(f.code);
  EXPECT_THAT(codes, ElementsAre(kNegativeMass, kZeroAxis, kInvalidNumber,
                                 kInvalidLimit, kInvalidLimit, kSeveralRoots,
                                 kIgnoredAttribute));
}

TEST(UrdfReport, IgnoredElementsOfOneNameAreOneFinding) {
  std::string extensions;
  for (int i = 0; i < 246; ++i) extensions += "<gazebo/>\n";
  const LintReport report =
      LoadUrdf(Edited({{"</robot>", extensions + "<sensor/></robot>"}})).report;
  ASSERT_EQ(report.findings().size(), 2u);
  const Finding& gazebo = report.findings()[0];
  EXPECT_EQ(gazebo.count, 246);
  EXPECT_THAT(gazebo.message, HasSubstr("<gazebo>"));
  EXPECT_EQ(gazebo.more_places[8].line, gazebo.line + 9);
  EXPECT_EQ(report.findings()[1].count, 1);
}

}  // namespace
}  // namespace torqued

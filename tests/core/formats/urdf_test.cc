// What LoadUrdf reads.
#include "core/formats/urdf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/core/formats/small_arm.h"

namespace torqued {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::Optional;

std::shared_ptr<const Model> Load(std::string_view source,
                                  const BuildOptions& options = {}) {
  LoadResult result = LoadUrdf(source, options);
  for (const Finding& f : result.report.findings()) {
    if (f.severity == Severity::kError) ADD_FAILURE() << f.message;
  }
  return result.model;
}

std::vector<std::string> JointNames(const Model& model) {
  std::vector<std::string> names;
  for (const Joint& joint : model.joints()) names.push_back(joint.name);
  return names;
}

TEST(Urdf, CleanFileHasNoFindings) {
  const LoadResult result = LoadUrdf(kSmallArm);
  EXPECT_TRUE(result.report.ok());
  EXPECT_THAT(result.report.findings(), testing::IsEmpty());
  ASSERT_NE(result.model, nullptr);
}

TEST(Urdf, NumbersStandWhereTheyBelong) {
  const auto model = Load(kSmallArm);
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(model->name(), "small_arm");
  EXPECT_EQ(model->nq(), 2);
  EXPECT_EQ(model->nv(), 2);
  ASSERT_THAT(JointNames(*model), ElementsAre("shoulder", "elbow"));

  const Joint& shoulder = model->joints()[0];
  EXPECT_EQ(shoulder.type, JointType::kRevolute);
  EXPECT_EQ(shoulder.parent, kBase);
  EXPECT_EQ(shoulder.parent_link, "base");
  EXPECT_EQ(shoulder.child_link, "upper");
  EXPECT_THAT(shoulder.limits.lower, Optional(-2.0));
  EXPECT_THAT(shoulder.limits.upper, Optional(2.5));
  EXPECT_THAT(shoulder.limits.effort, Optional(30.0));
  EXPECT_THAT(shoulder.limits.velocity, Optional(3.0));
  EXPECT_THAT(shoulder.axis, ElementsAre(0, 1, 0));

  const Joint& elbow = model->joints()[1];
  EXPECT_EQ(elbow.type, JointType::kPrismatic);
  EXPECT_EQ(elbow.parent, 0);
  EXPECT_EQ(elbow.q_index, 1);
  EXPECT_EQ(elbow.v_index, 1);

  const Tree tree = model->tree();
  ASSERT_EQ(tree.n, 2);
  const TreeBody& upper = tree.bodies[0];
  EXPECT_EQ(upper.parent, kBase);
  EXPECT_EQ(upper.motion, JointMotion::kRevolute);
  EXPECT_THAT(upper.p, ElementsAre(0, 0, 0.1));
  EXPECT_EQ(upper.mass, 2);
  EXPECT_THAT(upper.h, ElementsAre(0, 0, DoubleEq(0.4)));
  // About the origin: ixx + m d² with d = 0.2.
  EXPECT_THAT(upper.I, ElementsAre(DoubleEq(0.11), 0, 0, DoubleEq(0.11), 0,
                                   DoubleEq(0.01)));
  const TreeBody& lower = tree.bodies[1];
  EXPECT_EQ(lower.parent, 0);
  EXPECT_EQ(lower.motion, JointMotion::kPrismatic);
  EXPECT_EQ(lower.mass, 1.25);
  EXPECT_DOUBLE_EQ(model->moving_mass(), 3.25);
}

TEST(Urdf, InertialRotationIsApplied) {
  // I = Ry(0.1) diag(a, b, c) Ry(0.1)ᵀ by hand, plus m d² with d = 0.15.
  const auto model = Load(kSmallArm);
  ASSERT_NE(model, nullptr);
  const double a = 0.01, b = 0.01, c = 0.002, cy = std::cos(0.1),
               sy = std::sin(0.1);
  const double offset = 1.25 * 0.15 * 0.15;
  const double* I = model->tree().bodies[1].I;
  EXPECT_NEAR(I[0], a * cy * cy + c * sy * sy + offset, 1e-17);
  EXPECT_NEAR(I[2], (c - a) * sy * cy, 1e-17);
  EXPECT_NEAR(I[3], b + offset, 1e-17);
  EXPECT_NEAR(I[5], a * sy * sy + c * cy * cy, 1e-17);
  EXPECT_EQ(I[1], 0);
  EXPECT_EQ(I[4], 0);
}

TEST(Urdf, ProductsOfInertiaAreMatrixEntries) {
  const auto model = Load(Replaced(
      std::string(kSmallArm),
      R"(ixx="0.03" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.01")",
      R"(ixx="0.03" ixy="0.001" ixz="0.002" iyy="0.04" iyz="0.003" izz="0.05")"));
  ASSERT_NE(model, nullptr);
  const double d = 2 * 0.2 * 0.2;
  EXPECT_THAT(model->tree().bodies[0].I,
              ElementsAre(DoubleEq(0.03 + d), 0.001, 0.002, DoubleEq(0.04 + d),
                          0.003, DoubleEq(0.05)));
}

TEST(Urdf, EveryLinkIsAFrame) {
  const auto model = Load(kSmallArm);
  ASSERT_NE(model, nullptr);
  std::vector<std::string> names;
  for (const Frame& frame : model->frames()) names.push_back(frame.name);
  EXPECT_THAT(names, ElementsAre("base", "upper", "lower", "tool"));
  EXPECT_EQ(model->frames()[0].placement.body, kBase);
  EXPECT_EQ(model->frames()[1].placement.body, 0);
  EXPECT_EQ(model->frames()[3].placement.body, 1);
  EXPECT_THAT(model->frames()[3].placement.p, ElementsAre(0, 0, 0.3));
  EXPECT_THAT(model->FindFrame("tool"), Optional(3));
  EXPECT_EQ(model->FindFrame("elbow"), std::nullopt);
  EXPECT_THAT(model->FindJoint("elbow"), Optional(1));
  EXPECT_EQ(model->FindJoint("flange"), std::nullopt);
}

TEST(Urdf, TipIsTheOnlyLeafOrTheNamedLink) {
  EXPECT_THAT(Load(kSmallArm)->tip_frame(), Optional(3));
  EXPECT_THAT(Load(kSmallArm, {.default_tip = "upper"})->tip_frame(),
              Optional(1));
  const std::string two_leaves =
      Replaced(std::string(kSmallArm), "</robot>",
               R"(<link name="camera"/><joint name="mount" type="fixed">
         <parent link="upper"/><child link="camera"/></joint></robot>)");
  EXPECT_EQ(Load(two_leaves)->tip_frame(), std::nullopt);
  EXPECT_THAT(Load(two_leaves, {.default_tip = "camera"})->tip_frame(),
              Optional(4));
}

TEST(Urdf, AbsentPartsHaveTheDefaultsOfUrdf) {
  const auto model = Load(R"(<robot name="r">
      <link name="base"/>
      <link name="wheel"><inertial><mass value="1"/>
        <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>
      </inertial></link>
      <joint name="axle" type="continuous">
        <parent link="base"/><child link="wheel"/></joint></robot>)");
  ASSERT_NE(model, nullptr);
  const TreeBody& body = model->tree().bodies[0];
  EXPECT_THAT(body.axis, ElementsAre(1, 0, 0));
  EXPECT_THAT(body.R, ElementsAre(1, 0, 0, 0, 1, 0, 0, 0, 1));
  EXPECT_THAT(body.p, ElementsAre(0, 0, 0));
  EXPECT_THAT(body.h, ElementsAre(0, 0, 0));
  const Joint& joint = model->joints()[0];
  EXPECT_EQ(joint.type, JointType::kContinuous);
  EXPECT_EQ(joint.limits.lower, std::nullopt);
  EXPECT_EQ(joint.limits.upper, std::nullopt);
  EXPECT_EQ(joint.limits.effort, std::nullopt);
  EXPECT_EQ(joint.limits.velocity, std::nullopt);
  EXPECT_EQ(joint.mimic, std::nullopt);
  EXPECT_EQ(joint.damping, 0);
}

TEST(Urdf, OneMissingPositionLimitIsZero) {
  const auto model = Load(Replaced(
      std::string(kSmallArm), R"(lower="-2" upper="2.5")", R"(upper="2.5")"));
  ASSERT_NE(model, nullptr);
  EXPECT_THAT(model->joints()[0].limits.lower, Optional(0.0));
  EXPECT_THAT(model->joints()[0].limits.upper, Optional(2.5));
}

TEST(Urdf, MissingLimitsAreNotZero) {
  const auto model =
      Load(Replaced(std::string(kSmallArm), R"(lower="-2" upper="2.5" )", ""));
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(model->joints()[0].limits.lower, std::nullopt);
  EXPECT_EQ(model->joints()[0].limits.upper, std::nullopt);
  EXPECT_THAT(model->joints()[0].limits.effort, Optional(30.0));
}

TEST(Urdf, FrictionAndMimicAreKept) {
  std::string text =
      Replaced(std::string(kSmallArm),
               R"(<limit lower="0" upper="0.3" effort="20" velocity="4"/>)",
               R"(<limit lower="0" upper="0.3" effort="20" velocity="4"/>
         <dynamics damping="0.7" friction="0.2"/>
         <mimic joint="shoulder" multiplier="-2" offset="0.5"/>)");
  const auto model = Load(text);
  ASSERT_NE(model, nullptr);
  const Joint& elbow = model->joints()[1];
  EXPECT_EQ(elbow.damping, 0.7);
  EXPECT_EQ(elbow.friction, 0.2);
  EXPECT_EQ(model->tree().bodies[1].viscous_friction, 0.7);
  EXPECT_EQ(model->tree().bodies[1].coulomb_friction, 0.2);
  ASSERT_TRUE(elbow.mimic);
  EXPECT_EQ(elbow.mimic->joint, 0);
  EXPECT_EQ(elbow.mimic->multiplier, -2);
  EXPECT_EQ(elbow.mimic->offset, 0.5);
  EXPECT_EQ(model->nv(), 2) << "a mimic joint is independent";
  text = Replaced(text, R"( multiplier="-2" offset="0.5")", "");
  EXPECT_EQ(Load(text)->joints()[1].mimic->multiplier, 1);
  EXPECT_EQ(Load(text)->joints()[1].mimic->offset, 0);
}

TEST(Urdf, OrderInTheFileDoesNotMatter) {
  // Joints before links, children before parents.
  const auto a = Load(kSmallArm);
  std::string text(kSmallArm);
  const std::size_t joints = text.find("  <joint name=\"shoulder\"");
  const std::size_t links = text.find("  <link name=\"base\"/>");
  const std::size_t end = text.find("  <material name=\"grey\"><color");
  const std::string reordered =
      text.substr(0, links) + text.substr(joints, end - joints) +
      text.substr(links, joints - links) + text.substr(end);
  const auto b = Load(reordered);
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(JointNames(*a), JointNames(*b));
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(b->tree().bodies[i].I,
                testing::ElementsAreArray(a->tree().bodies[i].I));
  }
}

TEST(Urdf, RobotWithoutJointsLoads) {
  const auto model = Load("<robot name='rock'><link name='rock'/></robot>");
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(model->nv(), 0);
  EXPECT_EQ(model->tree().n, 0);
  EXPECT_EQ(model->frames().size(), 1u);
  EXPECT_THAT(model->tip_frame(), Optional(0));
}

TEST(Urdf, NamesMayHaveAnyPrintableCharacters) {
  std::string text(kSmallArm);
  for (std::size_t at; (at = text.find("\"lower\"")) != std::string::npos;) {
    text.replace(at, 7, "\"bras n\xC2\xB0 2/\xE4\xB8\x8B &amp; &lt;x&gt;\"");
  }
  const auto model = Load(text);
  ASSERT_NE(model, nullptr);
  EXPECT_NE(model->FindFrame("bras n\xC2\xB0 2/\xE4\xB8\x8B & <x>"),
            std::nullopt);
}

TEST(Urdf, ByteOrderMarkAndWindowsLineEndsAreFine) {
  std::string text = "\xEF\xBB\xBF";
  for (const char c : kSmallArm) text += c == '\n' ? "\r\n" : std::string(1, c);
  const LoadResult result = LoadUrdf(text);
  EXPECT_THAT(result.report.findings(), testing::IsEmpty());
  EXPECT_NE(result.model, nullptr);
}

}  // namespace
}  // namespace torqued

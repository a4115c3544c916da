#include "server/wire/model_messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/robots.h"

namespace torqued::server {
namespace {

using ::testing::ElementsAre;

TEST(ModelInfoTest, JointsCarryWhatTheSourceSays) {
  ModelEntry entry = ThreeJoints();
  entry.labels = {"calibrated"};
  entry.registered_at = std::chrono::system_clock::time_point(
      std::chrono::microseconds(1'700'000'000'000'001));
  v1::ModelInfo info;
  FillModelInfo(entry, &info);
  EXPECT_EQ(info.name(), "three");
  EXPECT_EQ(info.robot_name(), "three");
  EXPECT_EQ(info.state(), v1::MODEL_STATE_READY);
  EXPECT_EQ(info.format(), v1::MODEL_FORMAT_URDF);
  EXPECT_EQ(info.options().base(), v1::BASE_KIND_FIXED);
  EXPECT_EQ(info.options().validation(), v1::VALIDATION_DEFAULT);
  EXPECT_EQ(info.options().mimic(), v1::MIMIC_MODE_INDEPENDENT);
  EXPECT_EQ(info.nq(), 3u);
  EXPECT_EQ(info.nv(), 3u);
  EXPECT_EQ(info.tip_frame(), "hand");
  EXPECT_THAT(info.frames(), ElementsAre("base", "upper", "slide", "hand"));
  EXPECT_THAT(info.labels(), ElementsAre("calibrated"));
  EXPECT_DOUBLE_EQ(info.moving_mass(), 4);
  EXPECT_EQ(info.registered_at().seconds(), 1'700'000'000);
  EXPECT_EQ(info.registered_at().nanos(), 1000);
  ASSERT_EQ(info.joints_size(), 3);

  const v1::JointInfo& lift = info.joints(0);
  EXPECT_EQ(lift.name(), "lift");
  EXPECT_EQ(lift.type(), v1::JOINT_TYPE_REVOLUTE);
  EXPECT_EQ(lift.lower(), -1);
  EXPECT_EQ(lift.upper(), 2);
  EXPECT_EQ(lift.velocity(), 4);
  EXPECT_EQ(lift.effort(), 30);
  EXPECT_THAT(lift.axis(), ElementsAre(0, 1, 0));

  const v1::JointInfo& reach = info.joints(1);
  EXPECT_EQ(reach.type(), v1::JOINT_TYPE_PRISMATIC);
  EXPECT_EQ(reach.q_index(), 1u);
  EXPECT_EQ(reach.damping(), 0.5);
  EXPECT_EQ(reach.friction(), 0.25);
  EXPECT_EQ(reach.parent_link(), "upper");
  EXPECT_EQ(reach.child_link(), "slide");

  const v1::JointInfo& twist = info.joints(2);
  EXPECT_EQ(twist.type(), v1::JOINT_TYPE_CONTINUOUS);
  EXPECT_FALSE(twist.has_lower());
  EXPECT_FALSE(twist.has_effort());
}

TEST(ModelInfoTest, ABrokenModelSaysWhyAndHasNoSizes) {
  auto broken = std::make_shared<LoadedRevision>();
  broken->revision = "abc";
  broken->problem = "no longer \xFF understood";
  ModelEntry entry;
  entry.name = "old";
  entry.loaded = broken;
  v1::ModelInfo info;
  FillModelInfo(entry, &info);
  EXPECT_EQ(info.state(), v1::MODEL_STATE_BROKEN);
  EXPECT_EQ(info.problem(), "no longer \xEF\xBF\xBD understood");
  EXPECT_FALSE(info.has_registered_at());
  ListedModel listed;
  listed.name = "old";
  listed.summary.problem = broken->problem;
  v1::ModelSummary summary;
  FillSummary(listed, &summary);
  EXPECT_EQ(summary.state(), v1::MODEL_STATE_BROKEN);
  EXPECT_EQ(summary.problem(), info.problem());
  EXPECT_EQ(summary.nq(), 0u);
  EXPECT_FALSE(summary.has_registered_at());
}

TEST(ModelInfoTest, WhatADamagedStoreSaysIsUtf8) {
  ModelEntry entry;
  auto broken = std::make_shared<LoadedRevision>();
  broken->revision = "\xFF";
  broken->problem = "damaged";
  entry.name = "a\xFF";
  entry.labels = {"b\xFF"};
  entry.loaded = broken;
  v1::ModelInfo info;
  FillModelInfo(entry, &info);
  EXPECT_EQ(info.name(), "a\xEF\xBF\xBD");
  EXPECT_EQ(info.revision(), "\xEF\xBF\xBD");
  EXPECT_EQ(info.labels(0), "b\xEF\xBF\xBD");
  ListedModel listed;
  listed.name = entry.name;
  listed.revision = broken->revision;
  v1::ModelSummary summary;
  FillSummary(listed, &summary);
  EXPECT_EQ(summary.name(), info.name());
  EXPECT_EQ(summary.revision(), info.revision());
}

TEST(ModelInfoTest, WhatThisVersionCannotReadIsNotCalledUrdf) {
  auto newer = std::make_shared<LoadedRevision>();
  newer->format = "mjcf";
  newer->problem = "unknown format 'mjcf'";
  ModelEntry entry;
  entry.loaded = newer;
  v1::ModelInfo info;
  FillModelInfo(entry, &info);
  EXPECT_EQ(info.format(), v1::MODEL_FORMAT_UNSPECIFIED);
  EXPECT_FALSE(info.has_options());
  ListedModel listed;
  listed.summary.format = "mjcf";
  v1::ModelSummary summary;
  FillSummary(listed, &summary);
  EXPECT_EQ(summary.format(), v1::MODEL_FORMAT_UNSPECIFIED);
  listed.summary.format = "urdf";
  FillSummary(listed, &summary);
  EXPECT_EQ(summary.format(), v1::MODEL_FORMAT_URDF);
}

TEST(ReportTest, OneKindIsOneFindingWithItsNextPlaces) {
  LintReport report;
  for (int line = 1; line <= 246; ++line) {
    report.AddKind(Severity::kWarning, LintCode::kIgnoredElement,
                   {.joint = "j", .link = "l", .line = line}, "gazebo",
                   [] { return "<gazebo> is ignored."; });
  }
  v1::LintReport message;
  FillReport(report, &message);
  ASSERT_EQ(message.findings_size(), 1);
  EXPECT_EQ(message.warnings(), 246u);
  const v1::Finding& finding = message.findings(0);
  EXPECT_EQ(finding.count(), 246u);
  EXPECT_EQ(finding.line(), 1u);
  ASSERT_EQ(finding.more_places_size(), 9);
  EXPECT_EQ(finding.more_places(8).line(), 10u);
  EXPECT_EQ(finding.more_places(8).joint(), "j");
  EXPECT_EQ(finding.more_places(8).link(), "l");
}

}  // namespace
}  // namespace torqued::server

#include "core/model/model_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/core/model/descriptions.h"

namespace torqued {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Optional;

std::vector<std::string> JointNames(const Model& model) {
  std::vector<std::string> names;
  for (const Joint& joint : model.joints()) names.push_back(joint.name);
  return names;
}

std::vector<std::string> FrameNames(const Model& model) {
  std::vector<std::string> names;
  for (const Frame& frame : model.frames()) names.push_back(frame.name);
  return names;
}

// A trunk with two arms and a camera, given in no special order.
LoadResult Humanoid(const BuildOptions& options = {}) {
  return Build({Link("right_hand", 1), Link("camera", 1), Link("left_arm", 1),
                Link("trunk", 1), MasslessLink("base"), Link("right_arm", 1),
                Link("left_hand", 1)},
               {JointOf("r2", JointKind::kPrismatic, "right_arm", "right_hand"),
                JointOf("l2", JointKind::kRevolute, "left_arm", "left_hand",
                        {0, 0, 1}, {1, 0, 0}),
                JointOf("m", JointKind::kFixed, "trunk", "camera"),
                JointOf("waist", JointKind::kContinuous, "base", "trunk"),
                JointOf("r1", JointKind::kRevolute, "trunk", "right_arm"),
                JointOf("l1", JointKind::kRevolute, "trunk", "left_arm")},
               options);
}

TEST(ModelBuilder, JointsStandInCanonicalOrder) {
  const LoadResult result = Humanoid();
  ASSERT_NE(result.model, nullptr) << Messages(result.report);
  const Model& model = *result.model;
  EXPECT_THAT(JointNames(model), ElementsAre("waist", "l1", "l2", "r1", "r2"));
  EXPECT_THAT(FrameNames(model),
              ElementsAre("base", "trunk", "left_arm", "left_hand", "camera",
                          "right_arm", "right_hand"));
  std::vector<int> parents;
  for (int i = 0; i < model.nv(); ++i) {
    EXPECT_EQ(model.joints()[i].parent, model.tree().bodies[i].parent);
    EXPECT_EQ(model.joints()[i].q_index, i);
    EXPECT_EQ(model.joints()[i].v_index, i);
    EXPECT_THAT(model.FindJoint(model.joints()[i].name), Optional(i));
    parents.push_back(model.joints()[i].parent);
  }
  EXPECT_THAT(parents, ElementsAre(kBase, 0, 1, 0, 3));
  for (std::size_t i = 0; i < model.frames().size(); ++i) {
    EXPECT_THAT(model.FindFrame(model.frames()[i].name),
                Optional(static_cast<int>(i)));
  }
  EXPECT_EQ(model.FindJoint("m"), std::nullopt) << "fixed joints are merged";
  EXPECT_EQ(model.FindJoint(""), std::nullopt);
  EXPECT_EQ(model.moving_mass(), 6);
  EXPECT_THAT(model.gravity(), ElementsAre(0, 0, -9.81));
}

TEST(ModelBuilder, FixedJointsTakeTheirPlaceInTheOrder) {
  // The movable "b" hangs behind the fixed "z", so it comes after "y".
  const LoadResult result =
      Build({MasslessLink("base"), MasslessLink("plate"), Link("lb", 1),
             Link("ly", 1)},
            {JointOf("z", JointKind::kFixed, "base", "plate"),
             JointOf("b", JointKind::kRevolute, "plate", "lb"),
             JointOf("y", JointKind::kRevolute, "base", "ly")});
  ASSERT_NE(result.model, nullptr);
  EXPECT_THAT(JointNames(*result.model), ElementsAre("y", "b"));
}

TEST(ModelBuilder, TipIsNeverGuessedAmongSeveralLeaves) {
  EXPECT_EQ(Humanoid().model->tip_frame(), std::nullopt);
  EXPECT_THAT(Humanoid({.default_tip = "camera"}).model->tip_frame(),
              Optional(4));
  EXPECT_THAT(Humanoid({.default_tip = "base"}).model->tip_frame(),
              Optional(0));
  const LoadResult unknown = Humanoid({.default_tip = "waist"});
  EXPECT_EQ(unknown.model, nullptr) << "a joint is no frame";
  EXPECT_EQ(Count(unknown.report, LintCode::kUnknownTip), 1);
}

TEST(ModelBuilder, JointTermsReachTheTree) {
  JointDescription joint = JointOf("j", JointKind::kPrismatic, "base", "arm");
  joint.damping = 1;
  joint.friction = 2;
  joint.armature = 3;
  const LoadResult result =
      Build({MasslessLink("base"), Link("arm", 1)}, {joint});
  ASSERT_NE(result.model, nullptr);
  const TreeBody& body = result.model->tree().bodies[0];
  EXPECT_EQ(body.viscous_friction, 1);
  EXPECT_EQ(body.coulomb_friction, 2);
  EXPECT_EQ(body.armature, 3);
  EXPECT_EQ(result.model->joints()[0].armature, 3);
  EXPECT_EQ(Count(result.report, LintCode::kFrictionOffByDefault), 1);
}

TEST(ModelBuilder, FrictionIsReportedOnceForAllJoints) {
  std::vector<JointDescription> joints = {
      JointOf("a", JointKind::kRevolute, "base", "la"),
      JointOf("b", JointKind::kRevolute, "base", "lb"),
      JointOf("c", JointKind::kRevolute, "base", "lc")};
  joints[1].damping = 1;
  joints[2].friction = 1;
  const LoadResult result =
      Build({MasslessLink("base"), Link("la", 1), Link("lb", 1), Link("lc", 1)},
            joints);
  ASSERT_EQ(Count(result.report, LintCode::kFrictionOffByDefault), 1);
  EXPECT_EQ(result.report.findings()[0].joint, "b");
  EXPECT_THAT(result.report.findings()[0].message, HasSubstr("and 1 more"));
}

TEST(ModelBuilder, NoLinksAreNoRobot) {
  const LoadResult result = ModelBuilder("empty").Build();
  EXPECT_EQ(result.model, nullptr);
  ASSERT_EQ(result.report.errors(), 1);
  EXPECT_EQ(result.report.findings()[0].code, LintCode::kMissingElement);
}

TEST(ModelBuilder, FindingsOfTheReaderAreKept) {
  ModelBuilder builder("r");
  builder.AddLink(MasslessLink("base"));
  builder.AddFinding({.severity = Severity::kWarning,
                      .code = LintCode::kIgnoredElement,
                      .line = 3,
                      .message = "Something is ignored."});
  builder.report().Add(LintCode::kFixedMass, {}, "Something else.");
  const LoadResult result = builder.Build();
  EXPECT_NE(result.model, nullptr);
  EXPECT_EQ(result.report.warnings(), 1);
  EXPECT_EQ(result.report.infos(), 1);
}

TEST(ModelBuilder, ErrorOfTheReaderRefusesTheModel) {
  ModelBuilder builder("r");
  builder.AddLink(MasslessLink("base"));
  builder.AddFinding({.code = LintCode::kInvalidNumber});
  EXPECT_EQ(builder.Build().model, nullptr);
}

TEST(ModelBuilder, IncompleteWithoutAnErrorIsNotBelieved) {
  // Else a model could have a nameless link, or none could come without an
  // error.
  LinkDescription nameless = MasslessLink("");
  nameless.incomplete = true;
  const LoadResult links = Build({nameless}, {});
  EXPECT_EQ(links.model, nullptr);
  EXPECT_EQ(Count(links.report, LintCode::kInvalidName), 1);

  JointDescription dangling = JointOf("j", JointKind::kFixed, "", "");
  dangling.incomplete = true;
  const LoadResult joints = Build({MasslessLink("base")}, {dangling});
  EXPECT_EQ(joints.model, nullptr);
  EXPECT_EQ(Count(joints.report, LintCode::kUnknownLink), 2);
}

TEST(ModelBuilder, ModelOutlivesTheReportAndIsShared) {
  std::shared_ptr<const Model> model = Humanoid().model;
  const Tree tree = model->tree();
  const std::shared_ptr<const Model> other = model;
  model.reset();
  EXPECT_EQ(other->tree().bodies, tree.bodies);
  EXPECT_EQ(tree.n, 5);
}

}  // namespace
}  // namespace torqued

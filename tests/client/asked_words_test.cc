#include "client/cli/check/asked_words.h"

#include <gmock/gmock.h>

#include "client/cli/check/asked_difference.h"

namespace torqued::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;

std::string Words(const std::vector<AskedItem>& items,
                  const std::string& what) {
  for (const AskedItem& item : items) {
    if (item.what == what) return item.words;
  }
  return "(not told)";
}

Json Inputs(const char* text) { return Json::parse(text); }

v1::CheckTrajectoryStart Asked() {
  v1::CheckTrajectoryStart asked;
  v1::Options* options = asked.mutable_options();
  for (const double g : {9.81, 0.0, -0.5}) {
    options->mutable_terms()->add_gravity(g);
  }
  options->mutable_terms()->set_viscous_friction(true);
  options->mutable_terms()->set_coulomb_friction(true);
  options->mutable_terms()->set_coulomb_smoothing(0.01);
  v1::Payload* payload = options->mutable_payload();
  payload->set_frame("hand");
  payload->set_mass(2.5);
  for (const double x : {0.1, 0.0, 0.2}) payload->add_center_of_mass(x);
  for (int k = 1; k <= 6; ++k) payload->add_inertia(k);
  options->set_tip_frame("tool");
  options->set_reference_frame(v1::REFERENCE_FRAME_WORLD);
  options->set_precision(v1::PRECISION_SINGLE);
  asked.set_derating(0.8);
  asked.set_merge_gap(0.25);
  asked.set_derive(v1::DIFFERENTIATION_QUINTIC_SPLINE);
  v1::JointBounds* bounds = asked.add_bounds();
  bounds->set_joint("arm");
  bounds->set_lower(-1);
  bounds->set_upper(2);
  bounds->set_velocity(3);
  bounds->set_effort(80);
  bounds->add_speeds(0);
  bounds->add_torques(90);
  bounds->add_speeds(1.5);
  bounds->add_torques(20);
  v1::JointDrive* drive = asked.add_drives();
  drive->set_joint("slide");
  drive->set_viscous_friction(0.5);
  drive->set_coulomb_friction(0.75);
  drive->set_armature(0.125);
  v1::OperationalSpaceOptions* task = asked.mutable_operational_space();
  task->add_axes(v1::TASK_AXIS_LINEAR_X);
  task->add_axes(v1::TASK_AXIS_ANGULAR_Z);
  task->set_singularity(v1::SINGULARITY_RULE_DAMPED);
  task->set_damping(0.1);
  task->set_rank_tolerance(0.125);
  task->set_characteristic_length(0.5);
  return asked;
}

TEST(AskedWords, NothingAskedIsAllDefaults) {
  const std::vector<AskedItem> items =
      AskedItems({}, Inputs(R"({"wrench_frame": "REFERENCE_FRAME_LOCAL"})"));
  for (const AskedItem& item : items) EXPECT_TRUE(item.is_default) << item.what;
  EXPECT_EQ(Words(items, "payload"), "none");
  EXPECT_EQ(Words(items, "gravity"), "that of the model");
  v1::CheckTrajectoryStart whole;
  whole.set_derating(1);
  EXPECT_EQ(Words(AskedItems(whole, Json::object()), "derating"), "none");
}

TEST(AskedWords, EverythingIsToldWithItsUnits) {
  const std::vector<AskedItem> items =
      AskedItems(Asked(), Json::object(), {{"arm", "N m"}, {"slide", "N"}});
  EXPECT_EQ(Words(items, "gravity"), "(9.81 0 -0.5) m/s²");
  EXPECT_EQ(Words(items, "friction"),
            "viscous and Coulomb, smoothed about rest with 0.01 rad/s or m/s");
  EXPECT_EQ(Words(items, "payload"),
            "2.5 kg at hand, centre of mass (0.1 0 0.2) m, inertia "
            "(1 2 3 4 5 6) kg m²");
  EXPECT_EQ(Words(items, "velocities and accelerations"),
            "derived from the positions by a quintic spline");
  EXPECT_EQ(Words(items, "derating"), "all torque limits times 0.8");
  EXPECT_EQ(Words(items, "limits of arm"),
            "position from -1 rad; position up to 2 rad; velocity 3 rad/s; "
            "torque 80 N m; torque by speed: 90 N m at 0 rad/s, 20 N m at 1.5 "
            "rad/s");
  EXPECT_EQ(Words(items, "drive of slide"),
            "viscous friction 0.5 N s/m; Coulomb friction 0.75 N; rotor "
            "inertia 0.125 kg");
  EXPECT_EQ(Words(items, "tip frame"), "tool");
  EXPECT_EQ(Words(items, "task"),
            "axes linear x, angular z, world, damped with 0.1, rank tolerance "
            "0.125, length 0.5 m");
  EXPECT_EQ(Words(items, "pauses between violations"), "bridged up to 0.25 s");
  EXPECT_EQ(Words(items, "precision"), "single");
  EXPECT_EQ(Words(AskedItems(Asked(), Json::object()), "limits of arm"),
            "position from -1; position up to 2; velocity 3; torque 80; torque "
            "by speed: 90 at 0, 20 at 1.5");
}

TEST(AskedWords, WrenchesAndOrderAreAmongTheInputs) {
  const auto words = [](const char* inputs, const char* what) {
    return Words(AskedItems({}, Inputs(inputs)), what);
  };
  constexpr const char* kWrench = "wrench of the tip on the environment";
  EXPECT_EQ(words(R"({"wrench": [[0, 0, 1, 0, 0, 50.5]],
                      "wrench_frame": "REFERENCE_FRAME_WORLD"})",
                  kWrench),
            "(0 0 1 0 0 50.5), moment [N m] and force [N], axes world");
  EXPECT_EQ(words(R"({"wrench_profile": [[0, 1, 2, 3, 4, 5, 6],
                                         [2.5, 1, 2, 3, 4, 5, 6]]})",
                  kWrench),
            "2 rows over time, from 0 s to 2.5 s, axes local");
  EXPECT_EQ(words(R"({"joints": ["b", "a"]})", "order of the joints"), "b, a");
  EXPECT_EQ(words(R"({"joints": []})", "order of the joints"),
            "that of the model");
}

TEST(AskedWords, WhatIsNoInputIsNoTrouble) {
  for (const char* text :
       {"3", "[]", "null", R"({"wrench": 3, "joints": {"a": []}})",
        R"({"wrench_profile": [], "wrench_frame": 3, "joints": [1]})",
        R"({"wrench_profile": [[], []]})", R"({"wrench": [["x"]]})"}) {
    EXPECT_THAT(AskedItems({}, Inputs(text)), Not(IsEmpty())) << text;
  }
  EXPECT_EQ(StartFromJson(Json::parse("[3]")).ByteSizeLong(), 0u);
  EXPECT_EQ(
      StartFromJson(Json::parse(R"({"new": 1, "derating": 0.5})")).derating(),
      0.5);
}

auto Differs(const char* what, const char* before, const char* after) {
  return AllOf(Field("what", &AskedDifference::what, what),
               Field("before", &AskedDifference::before, before),
               Field("after", &AskedDifference::after, after));
}

TEST(AskedDifferences, AreToldByTheMembersThatDiffer) {
  const Json before = Inputs(R"({"revision": "a", "asked": {"model": "@a",
    "derating": 1, "options": {"payload": {"mass": 1, "frame": "tip"}},
    "bounds": [{"joint": "b", "upper": 1}, {"joint": "a", "upper": 2}]}})");
  const Json after = Inputs(R"({"revision": "c", "asked": {"model": "@c",
    "options": {"payload": {"mass": 2, "frame": "tip"}}, "derating": 1,
    "bounds": [{"joint": "a", "upper": 2, "lower": 0}], "newer": [1, 2]}})");
  EXPECT_THAT(AskedDifferences(before, before), IsEmpty());
  const auto differences = AskedDifferences(before, after);
  EXPECT_THAT(differences,
              ElementsAre(Differs("asked.bounds.a.lower", "none", "0"),
                          Differs("asked.bounds.b", R"({"upper":1})", "none"),
                          Differs("asked.newer", "none", "[1,2]"),
                          Differs("asked.options.payload.mass", "1", "2"),
                          Differs("revision", "a", "c")));
  EXPECT_THAT(
      DifferentMembers(differences),
      ElementsAre("asked.bounds", "asked.newer", "asked.options", "revision"));
}

}  // namespace
}  // namespace torqued::cli

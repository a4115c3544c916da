#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

#include "server/wire/verdict_words.h"

namespace torqued::server {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Pair;

using Words = std::vector<std::pair<std::string, std::string>>;

class AskedWords : public ::testing::Test {
 protected:
  AskedWords() {
    for (const auto& [joint, unit] :
         {std::pair("arm", "N m"), std::pair("slide", "N")}) {
      v1::JointDemand* demand = verdict_.add_joints();
      demand->set_joint(joint);
      demand->set_effort_unit(unit);
    }
    for (const double g : {0.0, 0.0, -9.81}) {
      verdict_.mutable_echo()->mutable_terms()->add_gravity(g);
    }
  }

  Words Told(const std::vector<double>& wrenches = {}) {
    verdict_.clear_asked_words();
    const std::vector<std::string> joints = {"arm", "slide"};
    PutAskedIntoWords(wrenches, joints, &verdict_);
    Words words;
    for (const v1::AskedWords& asked : verdict_.asked_words()) {
      words.emplace_back(asked.title(), asked.words());
    }
    return words;
  }
  std::string WrenchTold(const std::vector<double>& wrenches) {
    for (const auto& [title, words] : Told(wrenches)) {
      if (title == "wrench of the tip on the environment") return words;
    }
    return "(not told)";
  }

  v1::TrajectoryVerdict verdict_;
  v1::CheckTrajectoryStart& asked_ = *verdict_.mutable_asked();
};

TEST_F(AskedWords, WhatEverybodyAsksIsToldOfADefaultQuestion) {
  // Defaults that are spelt out are defaults.
  asked_.set_derating(1);
  asked_.mutable_options()->set_precision(v1::PRECISION_DOUBLE);
  asked_.mutable_options()->add_joint_names("arm");
  asked_.mutable_options()->add_joint_names("slide");
  EXPECT_THAT(
      Told(),
      ElementsAre(Pair("gravity", "(0 0 -9.81) m/s^2"),
                  Pair("friction", "none"), Pair("payload", "none"),
                  Pair("velocities and accelerations", "as they are given"),
                  Pair("limits", "those of the model")));
}

TEST_F(AskedWords, EverythingElseIsToldWithItsUnits) {
  v1::Options* options = asked_.mutable_options();
  options->mutable_terms()->set_viscous_friction(true);
  options->mutable_terms()->set_coulomb_friction(true);
  options->mutable_terms()->set_coulomb_smoothing(0.01);
  v1::Payload* payload = options->mutable_payload();
  payload->set_mass(2.5);
  for (const double x : {0.1, 0.0, 0.2}) payload->add_center_of_mass(x);
  for (int k = 1; k <= 6; ++k) payload->add_inertia(k);
  options->set_tip_frame("tool");
  options->set_reference_frame(v1::REFERENCE_FRAME_LOCAL_WORLD_ALIGNED);
  options->set_precision(v1::PRECISION_SINGLE);
  options->add_joint_names("slide");
  options->add_joint_names("arm");
  // As the server fills it in.
  verdict_.mutable_echo()->mutable_payload()->set_frame("hand");
  asked_.set_derating(0.8);
  asked_.set_merge_gap(0.25);
  asked_.set_consistent(true);
  asked_.set_derive(v1::DIFFERENTIATION_QUINTIC_SPLINE);
  v1::PositionLimits* limits = asked_.add_position_limits();
  limits->set_coordinate("arm");
  limits->set_lower(-1);
  limits->set_upper(2);
  v1::Drive* drive = asked_.add_drives();
  drive->set_dof("arm");
  drive->set_velocity_limit(3);
  drive->set_effort_limit(1.0 / 3);
  drive->add_torque_speed()->set_torque(90);
  v1::TorqueSpeedPoint* point = drive->add_torque_speed();
  point->set_speed(1.5);
  point->set_torque(20);
  drive = asked_.add_drives();
  drive->set_dof("slide");
  drive->set_viscous_friction(0.5);
  drive->set_coulomb_friction(0.75);
  drive->set_armature(0.125);
  v1::OperationalSpaceOptions* task = asked_.mutable_operational_space();
  task->add_axes(v1::TASK_AXIS_LINEAR_X);
  task->add_axes(v1::TASK_AXIS_ANGULAR_Z);
  task->set_singularity(v1::SINGULARITY_RULE_DAMPED);
  task->set_damping(0.1);
  task->set_rank_tolerance(0.125);
  task->set_characteristic_length(0.5);
  EXPECT_THAT(
      Told(),
      ElementsAre(
          Pair("order of the joints", "slide, arm"),
          Pair("gravity", "(0 0 -9.81) m/s^2"),
          Pair("friction",
               "viscous, Coulomb, smoothed about rest with 0.01 rad/s or m/s"),
          Pair("tip frame", "tool"),
          Pair("reference frame", "local world aligned"),
          Pair("precision", "single"),
          Pair("payload",
               "frame hand, mass 2.5 kg, center of mass (0.1 0 0.2) m, inertia "
               "(1 2 3 4 5 6) kg m^2"),
          Pair("task",
               "axes linear x, angular z, singularity damped, damping 0.1, "
               "rank tolerance 0.125, characteristic length 0.5 m"),
          Pair("drive of arm",
               "velocity limit 3 rad/s, effort limit 0.3333333333333333 N m, "
               "torque by speed 0 rad/s: 90 N m, 1.5 rad/s: 20 N m"),
          Pair("drive of slide",
               "armature 0.125 kg, viscous friction 0.5 N s/m, coulomb "
               "friction 0.75 N"),
          Pair("position limits of arm", "lower -1 rad, upper 2 rad"),
          Pair("derating", "all torque limits times 0.8"),
          Pair("pauses between violations", "bridged up to 0.25 s"),
          Pair("velocities and accelerations",
               "derived from the positions by a quintic spline"),
          Pair("samples that contradict each other", "make the answer no")));
}

TEST_F(AskedWords, AWrenchIsToldByItsNumbersIfItDoesNotChange) {
  EXPECT_EQ(WrenchTold({}), "(not told)");
  EXPECT_EQ(WrenchTold({0, 0, 1, 0, 0, 50.5, 0, 0, 1, 0, 0, 50.5}),
            "(0 0 1 0 0 50.5), moment [N m] and force [N]");
  asked_.set_tip_wrench_reference_frame(v1::REFERENCE_FRAME_WORLD);
  EXPECT_THAT(Told({0, 0, 1, 0, 0, 50.5}),
              Contains(Pair("tip wrench reference frame", "world")));
  EXPECT_EQ(WrenchTold({0, 0, 1, 0, 0, 50.5, 0, 0, 1, 0, 0, 51}),
            "changes from sample to sample");
}

}  // namespace
}  // namespace torqued::server

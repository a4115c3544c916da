#include "server/wire/verdict_words.h"

#include <gmock/gmock.h>

#include <limits>
#include <string>

namespace torqued::server {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

void Set(std::uint64_t sample, double time, double value, v1::Peak* peak) {
  peak->set_sample(sample);
  peak->set_time(time);
  peak->set_value(value);
}

void Set(v1::LimitKind kind, v1::LimitedBy* place) {
  place->set_sample(3);
  place->set_time(0.25);
  place->set_joint("elbow");
  place->set_kind(kind);
}

class VerdictWords : public ::testing::Test {
 protected:
  VerdictWords() {
    v1::JointDemand* elbow = verdict_.add_joints();
    elbow->set_joint("elbow");
    elbow->set_position_unit("rad");
    elbow->set_effort_unit("N m");
    v1::JointDemand* slide = verdict_.add_joints();
    slide->set_joint("slide");
    slide->set_position_unit("m");
    slide->set_effort_unit("N");
    verdict_.set_samples(301);
  }

  v1::LimitViolation* AddViolation(v1::LimitKind kind, const std::string& joint,
                                   double value, double limit) {
    v1::LimitViolation* violation = verdict_.add_violations();
    violation->set_kind(kind);
    violation->set_joint(joint);
    violation->set_begin(3.1);
    violation->set_end(3.1);
    violation->set_samples(1);
    Set(33, 3.3, value, violation->mutable_worst());
    violation->set_limit(limit);
    return violation;
  }

  const v1::TrajectoryVerdict& Worded() {
    PutIntoWords(&verdict_);
    return verdict_;
  }
  std::string Pace() { return Worded().slow_down().message(); }
  std::string Payload() { return Worded().payload().message(); }

  v1::TrajectoryVerdict verdict_;
};

TEST_F(VerdictWords, AViolationHasItsWorstItsLimitAndItsTime) {
  AddViolation(v1::LIMIT_KIND_TORQUE, "elbow", -22.5, 15);
  v1::LimitViolation* longer =
      AddViolation(v1::LIMIT_KIND_VELOCITY, "slide", 1.25, 0.5);
  longer->set_end(3.4);
  longer->set_samples(3);
  v1::LimitViolation* between =
      AddViolation(v1::LIMIT_KIND_POSITION, "elbow", 2.5, 2);
  between->mutable_worst()->set_between(true);
  between->set_begin(3.25);
  between->set_end(3.3);
  between->set_samples(0);
  *verdict_.mutable_first_violation() = *longer;
  const v1::TrajectoryVerdict& told = Worded();
  EXPECT_EQ(told.violations(0).message(),
            "The torque of elbow is -22.5 N m at 3.3 s (sample 33); its limit "
            "there is 15 N m.");
  EXPECT_EQ(told.violations(1).message(),
            "The velocity of slide is 1.25 m/s at 3.3 s (sample 33); its limit "
            "there is 0.5 m/s. It breaks the limit from 3.1 s to 3.4 s, at 3 "
            "samples.");
  EXPECT_EQ(told.violations(2).message(),
            "The position of elbow is 2.5 rad at 3.3 s (between samples 33 and "
            "34); its limit there is 2 rad. It breaks the limit from 3.25 s to "
            "3.3 s.");
  EXPECT_EQ(told.first_violation().message(), told.violations(1).message());
}

TEST_F(VerdictWords, AValueJustOverItsLimitDoesNotLookLikeIt) {
  AddViolation(v1::LIMIT_KIND_VELOCITY, "elbow", -2.17500001, 2.175);
  verdict_.mutable_joints(0)->mutable_torque_use()->set_value(1.0000001);
  const v1::TrajectoryVerdict& told = Worded();
  EXPECT_THAT(told.violations(0).message(),
              StartsWith("The velocity of elbow is -2.17500001 rad/s at"));
  EXPECT_THAT(told.joints(0).message(), HasSubstr(" takes 100.00001 % of"));
}

TEST_F(VerdictWords, ARemarkHasWhatContradictsItself) {
  v1::Remark* remark = verdict_.add_remarks();
  remark->set_kind(v1::REMARK_KIND_VELOCITY);
  remark->set_joint("elbow");
  remark->set_begin(3.1);
  remark->set_end(3.4);
  remark->set_steps(3);
  Set(32, 3.2, 0.125, remark->mutable_worst());
  remark->set_expected(-0.75);
  *verdict_.add_remarks() = *remark;
  remark = verdict_.mutable_remarks(1);
  remark->set_kind(v1::REMARK_KIND_ACCELERATION);
  remark->set_joint("slide");
  remark->set_steps(1);
  const v1::TrajectoryVerdict& told = Worded();
  EXPECT_EQ(told.remarks(0).message(),
            "The velocity of elbow is 0.125 rad/s at 3.2 s (between samples 32 "
            "and 33), but the positions give -0.75 rad/s. 3 steps from 3.1 s "
            "to 3.4 s contradict each other.");
  EXPECT_EQ(told.remarks(1).message(),
            "The acceleration of slide is 0.125 m/s² at 3.2 s (between samples "
            "32 and 33), but the velocities give -0.75 m/s².");
}

TEST_F(VerdictWords, WhatWasJudgedIsTold) {
  EXPECT_EQ(Worded().judged(), "301 samples, not judged between them");
  verdict_.set_judged_between(true);
  verdict_.set_derived(v1::DIFFERENTIATION_CUBIC_SPLINE);
  EXPECT_EQ(Worded().judged(), "301 samples and the cubic spline between them");
  verdict_.set_derived(v1::DIFFERENTIATION_QUINTIC_SPLINE);
  EXPECT_EQ(Worded().judged(),
            "301 samples and the quintic spline between them");
  v1::CoarseStep* step = verdict_.mutable_coarse_step();
  step->set_sample(7);
  step->set_joint("slide");
  step->set_duration(0.5);
  step->set_position_change(-0.75);
  step->set_velocity_change(0.25);
  EXPECT_EQ(Worded().coarse_step().message(),
            "The samples are coarse: slide moves by -0.75 m and changes its "
            "velocity by 0.25 m/s within the 0.5 s between samples 7 and 8.");
  verdict_.set_judged_between(false);
  verdict_.set_samples(1);
  EXPECT_EQ(Worded().judged(), "1 sample");
}

TEST_F(VerdictWords, AJointIsToldByItsLimits) {
  v1::JointDemand* elbow = verdict_.mutable_joints(0);
  Set(5, 0.5, 1.25, elbow->mutable_torque_use());
  Set(6, 0.6, 0.75, elbow->mutable_velocity_use());
  Set(7, 0.7, -1.5, elbow->mutable_lowest_position());
  Set(8, 0.8, 3.25, elbow->mutable_highest_position());
  elbow->set_upper_limit(3);
  elbow->set_position_violations(1);
  v1::JointDemand* slide = verdict_.mutable_joints(1);
  Set(4, 0.4, -108, slide->mutable_torque());
  Set(6, 0.6, -2.5, slide->mutable_velocity());
  EXPECT_EQ(Worded().joints(0).message(),
            "elbow takes 125 % of its torque limit at 0.5 s (sample 5) and 75 "
            "% of its velocity limit at 0.6 s (sample 6). It moves from -1.5 "
            "rad to 3.25 rad; its limits are none and 3 rad.");
  EXPECT_EQ(verdict_.joints(1).message(),
            "slide takes a torque of -108 N at 0.4 s (sample 4), without a "
            "limit, and a velocity of -2.5 m/s at 0.6 s (sample 6), without "
            "a limit.");
  elbow->mutable_torque_use()->set_value(kInfinity);
  EXPECT_THAT(Worded().joints(0).message(),
              StartsWith("elbow takes over 100 % of"));
}

TEST_F(VerdictWords, PayloadsAreToldByWhatLimitsThem) {
  v1::PayloadRange* payload = verdict_.mutable_payload();
  EXPECT_EQ(Payload(),
            "No payload helps: torques exceed their limits with any payload, "
            "and without one.");
  payload->set_possible(true);
  payload->set_most(kInfinity);
  EXPECT_EQ(Payload(), "Any payload stays within the torque limits.");
  payload->set_least(0.12345611);
  EXPECT_EQ(Payload(),
            "Any payload from 0.12346 kg stays within the torque limits.");
  // What is told passes.
  payload->set_most(2.9999999);
  Set(v1::LIMIT_KIND_TORQUE, payload->mutable_limited_by());
  EXPECT_EQ(Payload(),
            "A payload from 0.12346 kg to 2.9999 kg stays within the torque "
            "limits; the torque of elbow at 0.25 s (sample 3) limits it.");
  payload->set_least(0);
  EXPECT_THAT(Payload(), StartsWith("A payload of up to 2.9999 kg stays"));
}

TEST_F(VerdictWords, PaceIsToldByWhatLimitsIt) {
  v1::SlowDown* pace = verdict_.mutable_slow_down();
  Set(v1::LIMIT_KIND_TORQUE, pace->mutable_limited_by());
  EXPECT_EQ(Pace(),
            "No slow-down helps: the torque of elbow at 0.25 s (sample 3) "
            "exceeds its limit at any speed.");
  Set(v1::LIMIT_KIND_VELOCITY, pace->mutable_limited_by());
  EXPECT_EQ(Pace(),
            "No slow-down helps: the velocity limit of elbow is 0, and it "
            "moves at 0.25 s (sample 3).");
  pace->set_possible(true);
  pace->set_factor(1.00000012345);
  EXPECT_EQ(Pace(),
            "Torques and velocities are within their limits 1.0001 times as "
            "slow; the velocity of elbow at 0.25 s (sample 3) limits the "
            "speed.");
  pace->set_factor(2);
  EXPECT_THAT(Pace(), HasSubstr(" 2 times as slow; "));
  verdict_.mutable_joints(1)->set_position_violations(1);
  EXPECT_THAT(Pace(), EndsWith(" Positions exceed their limits at any speed."));
}

TEST_F(VerdictWords, WhatPassesIsToldHowMuchFasterItMayRun) {
  v1::SlowDown* pace = verdict_.mutable_slow_down();
  pace->set_possible(true);
  pace->set_factor(1);
  pace->set_fastest(kInfinity);
  EXPECT_EQ(Pace(),
            "Torques and velocities are within their limits at this speed and "
            "at any higher one.");
  Set(v1::LIMIT_KIND_TORQUE, pace->mutable_fastest_limited_by());
  pace->set_fastest(1.8123956);
  EXPECT_EQ(Pace(),
            "Torques and velocities are within their limits at this speed and "
            "up to 1.8123 times as fast; the torque of elbow at 0.25 s "
            "(sample 3) limits it.");
  pace->set_fastest(1);
  EXPECT_THAT(Pace(), HasSubstr("at this speed and no faster; the torque of"));
}

TEST_F(VerdictWords, TheVerdictTellsWhatBreaksFirstOrHowNearItIs) {
  EXPECT_EQ(Worded().message(), "No limit is exceeded.");
  verdict_.mutable_joints(0)->mutable_torque_use()->set_value(0.5);
  verdict_.mutable_joints(1)->mutable_velocity_use()->set_value(0.75);
  verdict_.set_remark_count(1);
  EXPECT_EQ(Worded().message(),
            "No limit is exceeded; nearest to its limit is the velocity of "
            "slide, 75 %; 1 remark on the samples.");
  *verdict_.mutable_first_violation() =
      *AddViolation(v1::LIMIT_KIND_TORQUE, "elbow", 2, 1);
  verdict_.set_violation_count(2);
  verdict_.set_remark_count(4);
  EXPECT_EQ(Worded().message(),
            "2 violations of limits, the first at 3.1 s by the torque of "
            "elbow; 4 remarks on the samples.");
}

TEST_F(VerdictWords, EnergiesAndTheTaskAreTold) {
  verdict_.set_energy_given(8);
  verdict_.set_energy_taken(6);
  Set(17, 1.7, 55, verdict_.mutable_highest_power());
  Set(18, 1.8, -44, verdict_.mutable_lowest_power());
  Set(21, 2.1, 0.0625, verdict_.mutable_path_inertia()->mutable_sigma_min());
  Set(22, 2.2, 640, verdict_.mutable_path_inertia()->mutable_condition());
  EXPECT_EQ(Worded().energy_message(),
            "The joints give 8 J and take 6 J, each for itself; the whole "
            "robot gives 2 J net, and its power is from -44 W to 55 W.");
  EXPECT_EQ(verdict_.path_inertia().message(),
            "The smallest singular value of the task is 0.0625 at 2.1 s "
            "(sample 21); the condition of Lambda is at most 640 at 2.2 s "
            "(sample 22).");
}

}  // namespace
}  // namespace torqued::server

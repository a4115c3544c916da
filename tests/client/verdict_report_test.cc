#include "client/cli/check/verdict_report.h"

#include <gmock/gmock.h>

#include <limits>
#include <sstream>

#include "client/cli/check/verdict_text.h"
#include "client/cli/enum_text.h"

namespace torqued::cli {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

void SetPeak(std::uint64_t sample, double time, double value, v1::Peak* peak) {
  peak->set_sample(sample);
  peak->set_time(time);
  peak->set_value(value);
}

void SetPlace(std::uint64_t sample, double time, const std::string& joint,
              v1::LimitedBy* place) {
  place->set_sample(sample);
  place->set_time(time);
  place->set_joint(joint);
}

v1::LimitViolation* AddViolation(v1::LimitKind kind, const std::string& joint,
                                 double value, double limit,
                                 v1::TrajectoryVerdict* verdict) {
  v1::LimitViolation* violation = verdict->add_violations();
  violation->set_kind(kind);
  violation->set_joint(joint);
  violation->set_first_sample(31);
  violation->set_last_sample(34);
  violation->set_begin(3.1);
  violation->set_end(3.4);
  violation->set_samples(3);
  SetPeak(33, 3.3, value, violation->mutable_worst());
  violation->set_limit(limit);
  violation->set_severity(value / limit);
  return violation;
}

/// Two joints, the second one sliding and without limits; no number twice.
CheckedTrajectory Failing() {
  CheckedTrajectory checked;
  checked.file = "a<b>.csv";
  checked.units = {"N m", "N"};
  checked.seconds = 0.5;
  checked.inputs = {{"wrench", {{0, 0, 0, 0, 0, 80}}}};
  v1::TrajectoryVerdict& verdict = checked.check.verdict;
  verdict.mutable_echo()->set_model("arm");
  verdict.mutable_echo()->set_revision("0123456789abcdef");
  verdict.set_samples(101);
  verdict.set_duration(10.25);
  verdict.set_derived(v1::DIFFERENTIATION_QUINTIC_SPLINE);

  v1::JointDemand* joint = verdict.add_joints();
  joint->set_joint("el&böw");
  SetPeak(11, 1.1, -21.5, joint->mutable_torque());
  SetPeak(12, 1.2, -2.25, joint->mutable_velocity());
  SetPeak(13, 1.3, 1.5, joint->mutable_torque_use());
  SetPeak(14, 1.4, 0.75, joint->mutable_velocity_use());
  joint->set_rms_torque_use(0.125);
  joint->set_energy_given(7);
  joint->set_energy_taken(2.5);
  joint->set_torque_limit(15);
  joint->set_velocity_limit(3);
  joint->set_upper_limit(1);
  joint->set_torque_violations(2);

  v1::JointDemand* slide = verdict.add_joints();
  slide->set_joint("slide");
  SetPeak(15, 1.5, 4.5, slide->mutable_torque());
  SetPeak(16, 1.6, 0.5, slide->mutable_velocity());

  verdict.set_energy_given(8);
  verdict.set_energy_taken(6);
  SetPeak(17, 1.7, 55, verdict.mutable_highest_power());
  SetPeak(18, 1.8, -44, verdict.mutable_lowest_power());
  verdict.mutable_payload()->set_possible(true);
  verdict.mutable_payload()->set_least(0.5);
  verdict.mutable_payload()->set_most(2.5);
  SetPlace(19, 1.9, "el&böw", verdict.mutable_payload()->mutable_limited_by());
  verdict.mutable_slow_down()->set_possible(true);
  verdict.mutable_slow_down()->set_factor(1.25);
  SetPlace(20, 2.5, "slide", verdict.mutable_slow_down()->mutable_limited_by());
  SetPeak(21, 2.1, 0.0625, verdict.mutable_path_inertia()->mutable_sigma_min());
  SetPeak(22, 2.2, 640, verdict.mutable_path_inertia()->mutable_condition());

  AddViolation(v1::LIMIT_KIND_TORQUE, "el&böw", -22.5, 15, &verdict);
  v1::LimitViolation* single =
      AddViolation(v1::LIMIT_KIND_TORQUE, "el&böw", 18, 15, &verdict);
  single->set_first_sample(41);
  single->set_last_sample(41);
  *verdict.mutable_first_violation() = verdict.violations(0);
  verdict.set_violation_count(2);
  return checked;
}

std::string Printed(const CheckedTrajectory& checked) {
  std::ostringstream out;
  PrintVerdict(checked, out);
  return out.str();
}

TEST(VerdictReport, TheTerminalShowsTheWholeVerdict) {
  EXPECT_EQ(
      Printed(Failing()),
      R"(arm@0123456789ab  101 samples, nothing between them, over 10.25 s, checked in 0.5 s
Velocities and accelerations are derived by a quintic spline.

joint   max |tau|  at [s]  limit       most of limit  at [s]     RMS  max |v|  of limit  energy [J]
el&böw       21.5     1.1     15  N m        150.0 %     1.3  12.5 %     2.25    75.0 %         4.5
slide         4.5     1.5      -  N                -       -       -      0.5         -           0

Energy of all joints: given 8 J, taken 6 J (each joint for itself); whole robot: net 2 J, power from -44 to 55 W
Payload: from 0.5 kg, up to 2.5 kg within the torque limits, limited by el&böw at 1.9 s (sample 19)
Pace: 1.25 times as slow, limited by slide at 2.5 s (sample 20)
Task: sigma_min 0.0625 at 2.1 s; condition of Lambda up to 640 at 2.2 s

FAIL: 2 violations, the first at 3.1 s
  torque of el&böw: -22.5 where the limit is 15, at 3.3 s (sample 33), from 3.1 s to 3.4 s
  torque of el&böw: 18 where the limit is 15, at 3.3 s (sample 33)
)");
}

TEST(VerdictReport, CsvHasWhatEachJointNeeds) {
  EXPECT_EQ(
      VerdictCsv(Failing()),
      "joint,unit,tau,torque_limit,torque_use,rms_torque_use,sample,"
      "time,velocity,velocity_use,energy_given,energy_taken,"
      "torque_use_sample,torque_use_time,"
      "velocity_remarks,acceleration_remarks,remark\n"
      "el&böw,N m,-21.5,15,1.5,0.125,11,1.1,-2.25,0.75,7,2.5,13,1.3,0,0,\n"
      "slide,N,4.5,,,,15,1.5,0.5,,0,0,,,0,0,\n");
}

/// With a remark on each joint; the verdict counts two more.
CheckedTrajectory Contradicting() {
  CheckedTrajectory checked = Failing();
  v1::TrajectoryVerdict& verdict = checked.check.verdict;
  verdict.set_derived(v1::DIFFERENTIATION_UNSPECIFIED);
  for (const auto& [joint, kind] :
       {std::pair{"el&böw", v1::REMARK_KIND_VELOCITY},
        {"slide", v1::REMARK_KIND_ACCELERATION}}) {
    v1::Remark* remark = verdict.add_remarks();
    remark->set_kind(kind);
    remark->set_joint(joint);
    remark->set_first_sample(31);
    remark->set_last_sample(34);
    remark->set_begin(3.1);
    remark->set_end(3.4);
    remark->set_steps(3);
    SetPeak(32, 3.2, 0.125, remark->mutable_worst());
    remark->set_expected(-0.75);
    remark->set_tolerance(0.0625);
  }
  verdict.set_remark_count(4);
  verdict.mutable_joints(0)->set_velocity_remarks(3);
  verdict.mutable_joints(1)->set_acceleration_remarks(1);
  return checked;
}

constexpr char kRemark[] =
    "velocity of el&böw: 0.125 where the positions give -0.75, at 3.2 s "
    "(between samples 32 and 33), in 3 steps from 3.1 s to 3.4 s";

TEST(VerdictReport, RemarksAreInEveryOutput) {
  CheckedTrajectory checked = Contradicting();
  const std::string text = Printed(checked);
  EXPECT_THAT(text, HasSubstr("FAIL: 2 violations, the first at 3.1 s; 4 "
                              "remarks on the samples\n"));
  EXPECT_THAT(text, HasSubstr("contradict each other:\n  " +
                              std::string(kRemark) + "\n"));
  EXPECT_THAT(text, EndsWith("  and 2 more\n"));
  const std::string csv = VerdictCsv(checked);
  EXPECT_THAT(
      csv, HasSubstr(",7,2.5,13,1.3,3,0,\"" + std::string(kRemark) + "\"\n"));
  // To each joint its own, in the words of its kind.
  EXPECT_THAT(csv, HasSubstr(",0,1,\"acceleration of slide: 0.125 where the "
                             "velocities give -0.75, at 3.2 s"));
  const Json json = VerdictJson(checked);
  EXPECT_EQ(json["remark_count"], 4);
  EXPECT_EQ(json["remarks"][0]["last_sample"], 34);
  EXPECT_EQ(json["remarks"][0]["steps"], 3);
  EXPECT_EQ(json["remarks"][1]["kind"], "REMARK_KIND_ACCELERATION");
  EXPECT_EQ(json["joints"][0]["velocity_remarks"], 3);
  EXPECT_EQ(json["joints"][1]["acceleration_remarks"], 1);

  // They fail where they are to.
  const std::string told = VerdictJunit(checked);
  EXPECT_THAT(told, HasSubstr("tests=\"5\" failures=\"1\""));
  EXPECT_THAT(told,
              HasSubstr("name=\"velocity against positions\">\n      "
                        "<system-out>velocity of el&amp;böw: 0.125 where"));
  EXPECT_THAT(told, HasSubstr("and 2 more\n</system-out>"));
  EXPECT_THAT(told, HasSubstr("classname=\"slide\" name=\"acceleration "
                              "against velocities\">"));
  checked.check.verdict.mutable_asked()->set_consistent(true);
  const std::string failed = VerdictJunit(checked);
  EXPECT_THAT(failed, HasSubstr("tests=\"7\" failures=\"3\""));
  EXPECT_THAT(failed, HasSubstr("<failure message=\"velocity of el&amp;böw: "
                                "0.125 where"));
}

TEST(VerdictReport, JunitTellsTheRemarksOfAJointByTheirKinds) {
  CheckedTrajectory checked = Contradicting();
  v1::TrajectoryVerdict& verdict = checked.check.verdict;
  verdict.mutable_remarks(1)->set_joint("el&böw");
  verdict.mutable_joints(0)->set_velocity_remarks(1);
  verdict.mutable_joints(0)->set_acceleration_remarks(1);
  verdict.mutable_joints(1)->clear_acceleration_remarks();
  const std::string junit = VerdictJunit(checked);
  for (const auto& [name, rate] :
       {std::pair{"velocity against positions", "velocity of el&amp;böw: "},
        {"acceleration against velocities", "acceleration of el&amp;böw: "}}) {
    EXPECT_THAT(junit, HasSubstr("name=\"" + std::string(name) +
                                 "\">\n      <system-out>" + rate));
  }
  // One line each.
  EXPECT_THAT(junit, Not(HasSubstr("\nvelocity of")));
  EXPECT_THAT(junit, Not(HasSubstr("\nacceleration of")));
}

TEST(VerdictReport, WhatPassesWithARemarkSaysSo) {
  CheckedTrajectory checked = Contradicting();
  v1::TrajectoryVerdict& verdict = checked.check.verdict;
  verdict.set_passes(true);
  verdict.clear_violations();
  verdict.set_violation_count(0);
  verdict.clear_first_violation();
  EXPECT_THAT(Printed(checked), HasSubstr("\nPASS: all limits are kept; 4 "
                                          "remarks on the samples\n"));
}

TEST(VerdictText, WhatWasJudgedIsTold) {
  v1::TrajectoryVerdict verdict;
  verdict.set_samples(301);
  EXPECT_EQ(JudgedText(verdict), "301 samples, nothing between them");
  verdict.set_derived(v1::DIFFERENTIATION_CUBIC_SPLINE);
  // Of a server that judges samples alone.
  EXPECT_EQ(JudgedText(verdict), "301 samples, nothing between them");
  verdict.set_judged_between(true);
  EXPECT_EQ(JudgedText(verdict),
            "301 samples and the cubic spline between them");
  v1::CoarseStep* step = verdict.mutable_coarse_step();
  step->set_sample(7);
  step->set_joint("j");
  step->set_duration(0.5);
  step->set_position_change(-0.75);
  step->set_velocity_change(0.25);
  EXPECT_EQ(JudgedText(verdict),
            "301 samples and the cubic spline between them (coarse: j moves "
            "by -0.75 and changes its velocity by 0.25 within the 0.5 s "
            "between samples 7 and 8)");
  verdict = {};
  verdict.set_samples(1);
  EXPECT_EQ(JudgedText(verdict), "1 sample");
}

TEST(VerdictText, PlacesBetweenSamplesAreToldAsSuch) {
  v1::TrajectoryVerdict verdict;
  v1::LimitViolation* violation =
      AddViolation(v1::LIMIT_KIND_POSITION, "j", 2.5, 2, &verdict);
  violation->set_first_sample(33);
  violation->set_last_sample(33);
  violation->set_begin(3.3);
  violation->set_end(3.3);
  violation->mutable_worst()->set_between(true);
  EXPECT_EQ(ViolationText(*violation),
            "position of j: 2.5 where the limit is 2, at 3.3 s (between "
            "samples 33 and 34)");
  violation->set_begin(3.25);
  EXPECT_THAT(ViolationText(*violation), EndsWith("from 3.25 s to 3.3 s"));
  v1::SlowDown pace;
  pace.set_possible(true);
  pace.set_factor(2);
  SetPlace(1, 1.5, "j", pace.mutable_limited_by());
  pace.mutable_limited_by()->set_between(true);
  EXPECT_THAT(SlowDownText(pace), EndsWith("(between samples 1 and 2)"));
}

TEST(VerdictReport, JunitHasACaseForEachLimitThatThereIs) {
  EXPECT_EQ(VerdictJunit(Failing()),
            R"(<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="3" failures="1">
  <testsuite name="a&lt;b&gt;.csv" tests="3" failures="1">
    <testcase classname="el&amp;böw" name="torque">
      <failure message="torque of el&amp;böw: -22.5 where the limit is 15, at 3.3 s (sample 33), from 3.1 s to 3.4 s">torque of el&amp;böw: -22.5 where the limit is 15, at 3.3 s (sample 33), from 3.1 s to 3.4 s
torque of el&amp;böw: 18 where the limit is 15, at 3.3 s (sample 33)
</failure>
    </testcase>
    <testcase classname="el&amp;böw" name="velocity"/>
    <testcase classname="el&amp;böw" name="position"/>
  </testsuite>
</testsuites>
)");
}

TEST(VerdictReport, JunitGivesEachJointItsOwnViolations) {
  CheckedTrajectory checked = Failing();
  v1::TrajectoryVerdict& verdict = checked.check.verdict;
  verdict.mutable_joints(1)->set_torque_limit(1);
  verdict.mutable_joints(1)->set_torque_violations(1);
  AddViolation(v1::LIMIT_KIND_TORQUE, "slide", 4.5, 1, &verdict);
  const std::string junit = VerdictJunit(checked);
  const std::string slide = junit.substr(junit.find("classname=\"slide\""));
  EXPECT_THAT(slide, HasSubstr("torque of slide: 4.5"));
  EXPECT_THAT(slide, Not(HasSubstr("el&")));
}

TEST(VerdictReport, JunitFailsForViolationsThatAreNotListed) {
  CheckedTrajectory checked = Failing();
  v1::TrajectoryVerdict& verdict = checked.check.verdict;
  verdict.mutable_joints(0)->set_torque_violations(1502);
  verdict.mutable_joints(0)->set_velocity_violations(3);
  verdict.set_violation_count(1505);
  const std::string junit = VerdictJunit(checked);
  EXPECT_THAT(junit, HasSubstr("failures=\"2\""));
  EXPECT_THAT(junit, HasSubstr("and 1500 more\n"));
  EXPECT_THAT(junit, HasSubstr("<failure message=\"velocity of el&amp;böw: "
                               "-2.25 where the limit is 3, at 1.2 s (sample "
                               "12)\">velocity of el&amp;böw: "));
  EXPECT_THAT(junit, HasSubstr("(sample 12)\n3 violations\n</failure>"));
  EXPECT_THAT(Printed(checked), HasSubstr("  and 1503 more\n"));
}

TEST(VerdictReport, NamesThatAreNoTextLeaveXmlWhole) {
  CheckedTrajectory checked = Failing();
  checked.file = "a\xFF\x01\xEF\xBF\xBE\"";
  EXPECT_THAT(VerdictJunit(checked),
              HasSubstr("testsuite name=\"a\uFFFD  &quot;\""));
}

TEST(VerdictReport, NamesThatSteerAreShownInXml) {
  CheckedTrajectory checked = Failing();
  checked.file = "a\u202Eb\u009Bc\u2028d\u200F";
  EXPECT_THAT(VerdictJunit(checked),
              HasSubstr("testsuite name=\"a\\u202eb\\u009bc\\u2028d\\u200f\""));
}

TEST(VerdictReport, JsonHasNumbersOfSamplesAsNumbers) {
  const Json json = VerdictJson(Failing());
  EXPECT_EQ(json["trajectory"], "a<b>.csv");
  EXPECT_EQ(json["seconds"], 0.5);
  EXPECT_EQ(json["inputs"]["wrench"][0][5], 80);
  EXPECT_EQ(json["samples"], 101);
  EXPECT_EQ(json["violation_count"], 2);
  EXPECT_EQ(json["joints"][0]["torque"]["sample"], 11);
  EXPECT_EQ(json["joints"][0]["torque_violations"], 2);
  EXPECT_EQ(json["joints"][0]["velocity_violations"], 0);
  EXPECT_EQ(json["joints"][0]["position_violations"], 0);
  EXPECT_EQ(json["violations"][0]["first_sample"], 31);
  EXPECT_EQ(json["violations"][0]["last_sample"], 34);
  EXPECT_EQ(json["violations"][0]["samples"], 3);
  EXPECT_EQ(json["payload"]["limited_by"]["sample"], 19);
}

TEST(VerdictReport, WhatPassesHasNoViolations) {
  CheckedTrajectory checked = Failing();
  v1::TrajectoryVerdict& verdict = checked.check.verdict;
  verdict.set_passes(true);
  verdict.clear_violations();
  verdict.set_violation_count(0);
  verdict.clear_first_violation();
  verdict.set_derived(v1::DIFFERENTIATION_UNSPECIFIED);
  verdict.clear_path_inertia();
  verdict.clear_payload();
  const std::string text = Printed(checked);
  EXPECT_TRUE(text.ends_with("\n\nPASS\n"));
  EXPECT_THAT(text, Not(HasSubstr("spline")));
  EXPECT_THAT(text, Not(HasSubstr("Task")));
  EXPECT_THAT(text, Not(HasSubstr("Payload")));
  verdict.set_derived(v1::DIFFERENTIATION_CUBIC_SPLINE);
  EXPECT_THAT(Printed(checked), HasSubstr("by a cubic spline"));
}

TEST(VerdictText, PayloadsAreToldByWhatLimitsThem) {
  v1::PayloadRange payload;
  EXPECT_EQ(PayloadText(payload),
            "none: a torque limit is broken even without one, and a load does "
            "not mend it");
  payload.set_possible(true);
  payload.set_most(kInfinity);
  EXPECT_EQ(PayloadText(payload), "any within the torque limits");
  payload.set_most(3);
  EXPECT_EQ(PayloadText(payload), "up to 3 kg within the torque limits");
}

TEST(VerdictText, PaceIsToldByWhatLimitsIt) {
  v1::SlowDown pace;
  v1::LimitedBy* place = pace.mutable_limited_by();
  SetPlace(3, 0.25, "elbow", place);
  place->set_kind(v1::LIMIT_KIND_TORQUE);
  EXPECT_EQ(SlowDownText(pace),
            "at no pace: however slow, the torque of elbow at 0.25 s (sample "
            "3) is over its limit");
  place->set_kind(v1::LIMIT_KIND_VELOCITY);
  EXPECT_EQ(SlowDownText(pace),
            "at no pace: the velocity limit of elbow is 0, and it moves at "
            "0.25 s (sample 3)");
  pace.set_possible(true);
  pace.set_factor(1.5);
  EXPECT_EQ(SlowDownText(pace),
            "1.5 times as slow, limited by the velocity of elbow at 0.25 s "
            "(sample 3)");
}

TEST(VerdictText, WhatPassesIsToldHowMuchFasterItMayRun) {
  v1::SlowDown pace;
  pace.set_possible(true);
  pace.set_factor(1);
  EXPECT_EQ(SlowDownText(pace), "as fast as it is");  // of an older server
  pace.set_fastest(std::numeric_limits<double>::infinity());
  EXPECT_EQ(SlowDownText(pace), "as fast as it is, and any faster");
  v1::LimitedBy* place = pace.mutable_fastest_limited_by();
  SetPlace(3, 0.25, "elbow", place);
  place->set_kind(v1::LIMIT_KIND_TORQUE);
  // What is told passes.
  pace.set_fastest(1.8123456);
  EXPECT_EQ(SlowDownText(pace),
            "as fast as it is, and up to 1.81234 times as fast, limited by the "
            "torque of elbow at 0.25 s (sample 3)");
  pace.set_fastest(1);
  EXPECT_EQ(SlowDownText(pace),
            "as fast as it is, and no faster, limited by the torque of elbow "
            "at 0.25 s (sample 3)");
}

TEST(VerdictText, PaceTellsWhatItDoesNotMend) {
  v1::TrajectoryVerdict verdict = Failing().check.verdict;
  EXPECT_EQ(PaceText(verdict), SlowDownText(verdict.slow_down()));
  verdict.mutable_joints(1)->set_position_violations(1);
  EXPECT_THAT(PaceText(verdict),
              EndsWith("(sample 20); positions stay outside their limits at "
                       "any pace"));
}

TEST(VerdictText, WhatPassesIsToldHowNearItIs) {
  v1::TrajectoryVerdict verdict;
  verdict.set_passes(true);
  verdict.mutable_slow_down()->set_possible(true);
  verdict.add_joints()->set_joint("free");
  EXPECT_EQ(PaceText(verdict), "as fast as it is");
  verdict.add_joints()->set_joint("near");
  SetPeak(1, 1, 0.5, verdict.mutable_joints(1)->mutable_torque_use());
  SetPeak(2, 2, 0.75, verdict.mutable_joints(1)->mutable_velocity_use());
  verdict.add_joints()->set_joint("far");
  SetPeak(3, 3, 0.25, verdict.mutable_joints(2)->mutable_torque_use());
  EXPECT_EQ(PaceText(verdict),
            "as fast as it is; nearest to its limit is the velocity of near, "
            "75.0 %");
}

TEST(VerdictText, TheWorstIsKnownOfTheJointWhereNoneIsListed) {
  v1::JointDemand joint;
  joint.set_joint("j");
  // Of another instant than the largest share of the limit.
  SetPeak(4, 0.4, -108, joint.mutable_torque());
  SetPeak(5, 0.5, 1.25, joint.mutable_torque_use());
  joint.set_torque_limit(150);
  EXPECT_EQ(UnlistedText(joint, v1::LIMIT_KIND_TORQUE),
            "torque of j: 125.0 % of its limit, at 0.5 s (sample 5); the "
            "largest is -108, at 0.4 s (sample 4), the limit at rest 150");
  SetPeak(6, 0.6, -2.5, joint.mutable_velocity());
  joint.set_velocity_limit(2);
  EXPECT_EQ(UnlistedText(joint, v1::LIMIT_KIND_VELOCITY),
            "velocity of j: -2.5 where the limit is 2, at 0.6 s (sample 6)");
  SetPeak(7, 0.7, -1.5, joint.mutable_lowest_position());
  SetPeak(8, 0.8, 3.25, joint.mutable_highest_position());
  joint.set_lower_limit(-1);
  joint.set_upper_limit(3);
  EXPECT_EQ(UnlistedText(joint, v1::LIMIT_KIND_POSITION),
            "position of j: -1.5 where the limit is -1, at 0.7 s (sample 7)");
  joint.clear_lower_limit();
  EXPECT_EQ(UnlistedText(joint, v1::LIMIT_KIND_POSITION),
            "position of j: 3.25 where the limit is 3, at 0.8 s (sample 8)");
}

TEST(VerdictText, WhatIsToldPasses) {
  v1::SlowDown pace;
  pace.set_possible(true);
  pace.set_factor(1.00000012345);
  SetPlace(1, 1, "j", pace.mutable_limited_by());
  EXPECT_THAT(SlowDownText(pace), HasSubstr("1.00001 times"));
  pace.set_factor(2);
  EXPECT_THAT(SlowDownText(pace), HasSubstr("2 times"));
  v1::PayloadRange payload;
  payload.set_possible(true);
  payload.set_least(0.12345611);
  payload.set_most(2.9999999);
  EXPECT_EQ(PayloadText(payload),
            "from 0.123457 kg, up to 2.99999 kg within the torque limits");
}

TEST(VerdictText, AValueJustOverItsLimitIsToldWithAllDigits) {
  v1::TrajectoryVerdict verdict;
  const v1::LimitViolation* violation =
      AddViolation(v1::LIMIT_KIND_VELOCITY, "j", -2.17500001, 2.175, &verdict);
  EXPECT_THAT(ViolationText(*violation),
              HasSubstr("velocity of j: -2.17500001 where the limit is 2.175"));
}

TEST(VerdictText, KindsHaveNamesAndCounts) {
  v1::JointDemand joint;
  EXPECT_FALSE(IsLimited(joint, v1::LIMIT_KIND_TORQUE));
  EXPECT_FALSE(IsLimited(joint, v1::LIMIT_KIND_VELOCITY));
  EXPECT_FALSE(IsLimited(joint, v1::LIMIT_KIND_POSITION));
  joint.set_lower_limit(-1);
  EXPECT_TRUE(IsLimited(joint, v1::LIMIT_KIND_POSITION));
  joint.set_velocity_limit(1);
  EXPECT_TRUE(IsLimited(joint, v1::LIMIT_KIND_VELOCITY));
  EXPECT_FALSE(IsLimited(joint, v1::LIMIT_KIND_TORQUE));
  joint.mutable_torque_use();
  EXPECT_TRUE(IsLimited(joint, v1::LIMIT_KIND_TORQUE));
  joint.set_torque_violations(1);
  joint.set_velocity_violations(2);
  joint.set_position_violations(3);
  EXPECT_EQ(CountOf(joint, v1::LIMIT_KIND_TORQUE), 1u);
  EXPECT_EQ(CountOf(joint, v1::LIMIT_KIND_VELOCITY), 2u);
  EXPECT_EQ(CountOf(joint, v1::LIMIT_KIND_POSITION), 3u);
  EXPECT_EQ(LimitKindText(v1::LIMIT_KIND_POSITION), "position");
}

TEST(VerdictText, KindsOfANewerServerAreTheirNumbers) {
  v1::LimitViolation violation;
  violation.set_kind(static_cast<v1::LimitKind>(98));
  violation.set_joint("elbow");
  EXPECT_THAT(ViolationText(violation), StartsWith("unknown (98) of elbow: "));
  v1::Remark remark;
  remark.set_kind(static_cast<v1::RemarkKind>(99));
  remark.set_joint("elbow");
  EXPECT_THAT(RemarkText(remark),
              StartsWith("unknown (99) of elbow: 0 where the samples give 0"));
}

}  // namespace
}  // namespace torqued::cli

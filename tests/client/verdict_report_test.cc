#include "client/cli/check/reports.h"

#include <gmock/gmock.h>

#include <sstream>

namespace torqued::cli {
namespace {

using ::testing::HasSubstr;

void SetPeak(std::uint64_t sample, double time, double value, v1::Peak* peak) {
  peak->set_sample(sample);
  peak->set_time(time);
  peak->set_value(value);
}

/// The message is "torque of elbow: 15".
void AddViolation(const std::string& joint, int value,
                  v1::TrajectoryVerdict* verdict) {
  v1::LimitViolation* violation = verdict->add_violations();
  violation->set_kind(v1::LIMIT_KIND_TORQUE);
  violation->set_joint(joint);
  violation->set_first_sample(31);
  violation->set_last_sample(34);
  violation->set_samples(3);
  violation->set_message("torque of " + joint + ": " + std::to_string(value));
}

/// Two joints, the second one sliding and without limits; no number twice.
CheckedTrajectory Failing() {
  CheckedTrajectory checked;
  checked.file = "a<b>.csv";
  checked.seconds = 0.5;
  checked.inputs = {{"wrench", {{0, 0, 0, 0, 0, 80}}}};
  v1::TrajectoryVerdict& verdict = checked.check.verdict;
  verdict.mutable_echo()->set_model("arm");
  verdict.mutable_echo()->set_revision("0123456789abcdef");
  verdict.set_samples(101);
  verdict.set_duration(10.25);

  v1::JointDemand* joint = verdict.add_joints();
  joint->set_joint("el&böw");
  joint->set_effort_unit("N m");
  joint->set_message("Joint one.");
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
  slide->set_effort_unit("N");
  SetPeak(15, 1.5, 4.5, slide->mutable_torque());
  SetPeak(16, 1.6, 0.5, slide->mutable_velocity());

  verdict.mutable_payload()->set_possible(true);
  verdict.mutable_payload()->mutable_limited_by()->set_sample(19);
  verdict.mutable_payload()->set_message("Some payload.");
  verdict.mutable_slow_down()->set_message("Some pace.");
  verdict.mutable_path_inertia()->set_message("Some task.");
  verdict.mutable_coarse_step()->set_message("Some step.");
  verdict.set_message("Some verdict.");
  verdict.set_judged("101 samples");
  verdict.set_energy_message("Some energy.");

  AddViolation("el&böw", -22, &verdict);
  AddViolation("el&böw", 18, &verdict);
  verdict.set_violation_count(2);
  return checked;
}

std::string Printed(const CheckedTrajectory& checked) {
  std::ostringstream out;
  PrintVerdict(checked, out);
  return out.str();
}

TEST(VerdictReport, TheTerminalShowsTheWholeVerdict) {
  EXPECT_EQ(Printed(Failing()),
            R"(arm@0123456789ab  101 samples, over 10.25 s, checked in 0.5 s
Some step.

joint   max |tau|  at [s]  limit  unit  most of limit  then [s]     RMS  max |v|  of limit  energy [J]
el&böw       21.5     1.1     15  N m         150.0 %       1.3  12.5 %     2.25    75.0 %         4.5
slide         4.5     1.5      -  N                 -         -       -      0.5         -           0

Energy: Some energy.
Payload: Some payload.
Pace: Some pace.
Task: Some task.

FAIL: Some verdict.
  torque of el&böw: -22
  torque of el&böw: 18
)");
}

TEST(VerdictReport, JunitHasACaseForEachLimitThatThereIs) {
  EXPECT_EQ(VerdictJunit(Failing()),
            R"(<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="3" failures="1" errors="0">
  <testsuite name="a&lt;b&gt;.csv" tests="3" failures="1" errors="0">
    <testcase classname="el&amp;böw" name="torque"><failure message="torque of el&amp;böw: -22">torque of el&amp;böw: -22
torque of el&amp;böw: 18
</failure></testcase>
    <testcase classname="el&amp;böw" name="velocity"></testcase>
    <testcase classname="el&amp;böw" name="position"></testcase>
  </testsuite>
</testsuites>
)");
}

TEST(VerdictReport, JunitFailsForViolationsThatAreNotListed) {
  CheckedTrajectory checked = Failing();
  v1::TrajectoryVerdict& verdict = checked.check.verdict;
  verdict.mutable_joints(0)->set_torque_violations(1502);
  verdict.mutable_joints(0)->set_velocity_violations(3);
  verdict.set_violation_count(1505);
  const std::string junit = VerdictJunit(checked);
  EXPECT_THAT(junit, HasSubstr("failures=\"2\""));
  EXPECT_THAT(junit, HasSubstr("1500 more are not listed\n"));
  EXPECT_THAT(junit, HasSubstr("<failure message=\"Joint one.\">Joint one.\n3 "
                               "more are not listed\n</failure>"));
  EXPECT_THAT(Printed(checked), HasSubstr("  and 1503 more\n"));
}

TEST(VerdictReport, NamesThatAreNoTextLeaveXmlWhole) {
  CheckedTrajectory checked = Failing();
  checked.file = "a\xFF\x01\xEF\xBF\xBE\"\u202E";
  EXPECT_THAT(VerdictJunit(checked),
              HasSubstr("testsuite name=\"a\\xff\\x01 &quot;\\u202e\""));
}

}  // namespace
}  // namespace torqued::cli

#include "client/cli/check/checker.h"

#include <gmock/gmock.h>

#include <cmath>
#include <sstream>

namespace torqued::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

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

TEST(VerdictReport, JunitFailsForViolationsThatAreNotListed) {
  CheckedTrajectory checked = Failing();
  v1::TrajectoryVerdict& verdict = checked.check.verdict;
  verdict.mutable_joints(0)->set_torque_violations(1502);
  verdict.mutable_joints(0)->set_velocity_violations(3);
  verdict.set_violation_count(1505);
  const std::string junit = VerdictJunit(checked);
  // The joint without limits has no case.
  EXPECT_THAT(junit, HasSubstr("tests=\"3\" failures=\"2\""));
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

/// `failed` files, then those that pass, then those without a verdict.
Json Checked(int failed, int passed, int errors) {
  Json check = {{"directory", "moves</script><b>"},
                {"model", "arm"},
                {"revision", "0123456789abcdef"},
                {"server_version", "9.8.7"},
                {"asked", Json::object()},
                {"asked_words", Json::array()},
                {"files", failed + passed + errors},
                {"passed", passed},
                {"failed", failed},
                {"errors", errors},
                {"resumed", 0},
                {"seconds", 2},
                {"results", Json::array()}};
  for (int k = 0; k < failed + passed + errors; ++k) {
    const std::string file = "m" + std::to_string(k) + "&.csv";
    Json result = {{"file", file}, {"bytes", 1}, {"modified", 1}};
    if (k >= failed + passed) {
      result["error"] = file + ": no <rows>";
    } else {
      const bool passes = k >= failed;
      result.update({{"passes", passes},
                     {"severity", passes ? 0.5 : 1.5},
                     {"joint", "elbow"},
                     {"worst", "torque of <elbow>"},
                     {"violations", passes ? 0 : 3},
                     {"slow_down", 1.25}});
    }
    check["results"].push_back(std::move(result));
  }
  return check;
}

/// What the script of a page finds.
Json DataOf(const std::string& page) {
  const std::string mark = "id=\"data\">";
  const std::size_t begin = page.find(mark) + mark.size();
  return Json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

TEST(ReportPage, NoTextIsMarkup) {
  const std::string page = DirectoryPage(Checked(2, 3, 1));
  EXPECT_THAT(page, Not(HasSubstr("</script><b>")));
  EXPECT_THAT(page, Not(HasSubstr("<elbow>")));
  EXPECT_THAT(page, Not(HasSubstr("<rows>")));
  // Without scripts.
  EXPECT_THAT(page, HasSubstr("torque of &lt;elbow&gt;"));
  EXPECT_THAT(page, HasSubstr("m5&amp;.csv: no &lt;rows&gt;\n"));
}

TEST(ReportPage, OfThousandsOfFilesShowsTheWorst) {
  const std::string page = DirectoryPage(Checked(4000, 4000, 300));
  const Json data = DataOf(page);
  EXPECT_EQ(data["results"].size(), 500u);
  EXPECT_EQ(data["judged"], 8000);
  EXPECT_EQ(data["without_verdict"].size(), 100u);
  EXPECT_EQ(data["errors"], 300);
  EXPECT_LT(page.size(), 500000u);
}

TEST(UtilizationText, DistinguishesJustBelowFromJustAboveTheLimit) {
  EXPECT_EQ(UtilizationText(0.4579), "45.8 %");
  EXPECT_EQ(UtilizationText(0.99999), "99.9 %");
  EXPECT_EQ(UtilizationText(1), "100.0 %");
  EXPECT_EQ(UtilizationText(1.00001), "100.1 %");
  EXPECT_EQ(UtilizationText(HUGE_VAL), "over 100 %");
}

}  // namespace
}  // namespace torqued::cli

#include "client/cli/check/directory_page.h"

#include <gmock/gmock.h>

#include <limits>

namespace torqued::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// `failed` files, then those that pass, then those without a verdict.
DirectoryCheck Checked(int failed, int passed, int errors) {
  DirectoryCheck check;
  check.directory = "moves<1>";
  check.question = {{"model", "arm"},
                    {"revision", "0123456789abcdef"},
                    {"server_version", "9.8.7"},
                    {"asked", {{"derating", 0.75}}},
                    {"inputs", Json::object()}};
  check.seconds = 2;
  for (int k = 0; k < failed + passed + errors; ++k) {
    FileResult result;
    result.file = "m" + std::to_string(k) + "&.csv";
    if (k >= failed + passed) {
      result.error = "DATA (" + result.file + "): no <rows>";
    } else {
      result.passes = k >= failed;
      result.severity = result.passes ? 0.5 : 1.5;
      result.joint = "elbow";
      result.worst = "torque of <elbow>";
      result.violations = result.passes ? 0 : 3;
      result.slow_down = 1.25;
    }
    check.results.push_back(std::move(result));
  }
  return check;
}

std::size_t CountOf(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST(DirectoryPage, TotalsAndTheQuestionStandAtTheTop) {
  const std::string page = DirectoryPage(Checked(2, 3, 1));
  EXPECT_THAT(page, HasSubstr("<title>FAIL moves&lt;1&gt;</title>"));
  EXPECT_THAT(page, HasSubstr("2 of 6 files break a limit; checked in 2.0 s"));
  EXPECT_THAT(page, HasSubstr("<b>6</b>files"));
  EXPECT_THAT(page, HasSubstr("<b>3</b>pass"));
  EXPECT_THAT(page, HasSubstr("<b>2</b>fail"));
  EXPECT_THAT(page, HasSubstr("<b>1</b>without a verdict"));
  EXPECT_THAT(page, HasSubstr("<dd>all torque limits times 0.75</dd>"));
  EXPECT_THAT(page, HasSubstr("<dd>9.8.7</dd>"));
}

TEST(DirectoryPage, AllTextsAreEscaped) {
  const std::string page = DirectoryPage(Checked(12, 3, 1));
  EXPECT_THAT(page, Not(HasSubstr("<elbow>")));
  EXPECT_THAT(page, Not(HasSubstr("<rows>")));
  EXPECT_THAT(page, Not(HasSubstr("m0&.csv")));
  EXPECT_THAT(page, HasSubstr("m0&amp;.csv"));
  EXPECT_THAT(page, HasSubstr("no &lt;rows&gt;"));
}

TEST(DirectoryPage, FewFilesAreListedOnce) {
  const std::string page = DirectoryPage(Checked(4, 6, 0));
  EXPECT_EQ(CountOf(page, "<svg"), 10u);
  EXPECT_EQ(CountOf(page, "m3&amp;.csv"), 1u);
  EXPECT_THAT(page, Not(HasSubstr("All files")));
  EXPECT_THAT(page, Not(HasSubstr("Without a verdict")));
}

TEST(DirectoryPage, ThousandsOfFilesAreCutOff) {
  const std::string page = DirectoryPage(Checked(4000, 4000, 300));
  EXPECT_EQ(CountOf(page, "<svg"), 10u);
  EXPECT_EQ(CountOf(page, "<tr><td>"), 10u + 500u);
  EXPECT_EQ(CountOf(page, "<tr><td class=\"words\">"), 100u);
  EXPECT_THAT(page, HasSubstr("and 7500 files more"));
  EXPECT_THAT(page, HasSubstr("and 200 more"));
  EXPECT_LT(page.size(), 300000u);
}

TEST(DirectoryPage, AVerdictThatIsMissingIsNoPass) {
  EXPECT_THAT(DirectoryPage(Checked(0, 2, 0)),
              HasSubstr("class=\"verdict pass"));
  const std::string page = DirectoryPage(Checked(0, 2, 1));
  EXPECT_THAT(page, HasSubstr("class=\"verdict fail"));
  EXPECT_THAT(page, HasSubstr("no limit is broken, and some files have no"));
  EXPECT_THAT(DirectoryPage(Checked(0, 0, 2)), Not(HasSubstr("The worst")));
}

TEST(DirectoryPage, WhatIsImpossibleIsNotWhatNobodyLookedAt) {
  DirectoryCheck check = Checked(3, 0, 0);
  check.results[0].payload_possible = false;
  check.results[1].payload_possible = true;
  check.results[1].largest_payload = 0.125;
  check.results[2].slow_down.reset();
  // Also after a journal.
  for (FileResult& result : check.results) {
    result = ResultFromJson(ToJson(result)).value();
  }
  const std::string page = DirectoryPage(check);
  EXPECT_EQ(CountOf(page, "<td>none</td><td>1.25</td>"), 1u);
  EXPECT_EQ(CountOf(page, "<td>0.125</td><td>1.25</td>"), 1u);
  EXPECT_EQ(CountOf(page, "<td>-</td><td>at no pace</td>"), 1u);
  EXPECT_EQ(ToJson(check.results[0])["payload_possible"], false);
  EXPECT_FALSE(ToJson(check.results[2]).contains("payload_possible"));
  EXPECT_EQ(ToJson(check.results[2])["slow_down_possible"], false);
}

TEST(DirectoryPage, NumbersThatAreNotFiniteHaveAPlace) {
  DirectoryCheck check = Checked(1, 1, 0);
  check.results[0].severity = std::numeric_limits<double>::infinity();
  check.results[1].largest_payload = std::numeric_limits<double>::infinity();
  const std::string page = DirectoryPage(check);
  EXPECT_THAT(page, HasSubstr("<td>over 100 %</td>"));
  EXPECT_THAT(page, HasSubstr("width=\"160.0\""));
  EXPECT_THAT(page, HasSubstr("<td>any</td>"));
}

TEST(DirectoryPage, WhatIsPrintedPasses) {
  DirectoryCheck check = Checked(1, 0, 0);
  check.results[0].largest_payload = 9.1312290806;
  check.results[0].slow_down = 9.8785826747;
  EXPECT_THAT(DirectoryPage(check),
              HasSubstr("<td>9.13122</td><td>9.87859</td>"));
}

TEST(DirectoryPage, OfPositionsOutsideTheirLimitsNoPaceIsTold) {
  v1::TrajectoryVerdict verdict;
  verdict.mutable_slow_down()->set_possible(true);
  verdict.mutable_slow_down()->set_factor(1.5);
  v1::JointDemand* joint = verdict.add_joints();
  joint->set_joint("elbow");
  EXPECT_EQ(ResultOf("m.csv", {}, verdict).slow_down, 1.5);
  joint->set_position_violations(1);
  EXPECT_EQ(ResultOf("m.csv", {}, verdict).slow_down, std::nullopt);
}

}  // namespace
}  // namespace torqued::cli

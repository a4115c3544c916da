#include "client/cli/check/report_page.h"

#include <gmock/gmock.h>

#include <limits>

namespace torqued::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// `failed` files, then those that pass, then those without a verdict.
DirectoryCheck Checked(int failed, int passed, int errors) {
  DirectoryCheck check;
  check.directory = "moves</script><b>";
  check.question = {{"model", "arm"},
                    {"revision", "0123456789abcdef"},
                    {"server_version", "9.8.7"},
                    {"asked", {{"derating", 0.75}}}};
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

/// What the script of a page finds.
Json DataOf(const std::string& page) {
  const std::string mark = "id=\"data\">";
  const std::size_t begin = page.find(mark) + mark.size();
  return Json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

Json DataOf(const DirectoryCheck& check) { return DataOf(ReportPage(check)); }

TEST(ReportPage, OfADirectoryTellsTotalsAndTheQuestion) {
  DirectoryCheck check = Checked(2, 3, 1);
  check.results[1].asked_words = {
      {{"title", "derating"}, {"words", "all torque limits times 0.75"}}};
  const Json data = DataOf(check);
  EXPECT_EQ(data["request"]["asked"]["derating"], 0.75);
  EXPECT_EQ(data["title"], "moves</script><b>");
  EXPECT_EQ(data["sentence"],
            "3 pass, 2 fail, 1 have no verdict; checked in 2.0 s");
  EXPECT_THAT(data["asked"].dump(),
              HasSubstr(R"(["derating","all torque limits times 0.75"])"));
  EXPECT_THAT(data["asked"].dump(), HasSubstr(R"(["server","9.8.7"])"));
  EXPECT_EQ(data["results"][0]["worst"], "torque of <elbow>");
}

TEST(ReportPage, NoTextIsMarkup) {
  const std::string page = ReportPage(Checked(2, 3, 1));
  EXPECT_THAT(page, Not(HasSubstr("</script><b>")));
  EXPECT_THAT(page, Not(HasSubstr("<elbow>")));
  EXPECT_THAT(page, Not(HasSubstr("<rows>")));
  // Without scripts.
  EXPECT_THAT(page, HasSubstr("torque of &lt;elbow&gt;"));
  EXPECT_THAT(page, HasSubstr("(m5&amp;.csv): no &lt;rows&gt;\n"));
}

TEST(ReportPage, OfThousandsOfFilesShowsTheWorst) {
  const std::string page = ReportPage(Checked(4000, 4000, 300));
  const Json data = DataOf(page);
  EXPECT_EQ(data["results"].size(), 500u);
  EXPECT_EQ(data["judged"], 8000);
  EXPECT_EQ(data["without_verdict"].size(), 100u);
  EXPECT_EQ(data["errors"], 300);
  EXPECT_LT(page.size(), 500000u);
}

TEST(ReportPage, AVerdictThatIsMissingIsNoPass) {
  EXPECT_EQ(DataOf(Checked(0, 2, 0))["passes"], true);
  EXPECT_EQ(DataOf(Checked(0, 2, 1))["passes"], false);
}

TEST(ReportPage, PayloadsAndPacesAreRoundedToWhatPasses) {
  DirectoryCheck check = Checked(6, 0, 0);
  check.results[0].payload_possible = false;
  check.results[1].payload_possible = true;
  check.results[1].largest_payload = 9.1312290806;
  check.results[2].largest_payload = kInfinity;
  check.results[3].slow_down.reset();
  check.results[4].slow_down = 9.8785826747;
  check.results[5].severity = kInfinity;
  // Also after a journal.
  for (FileResult& result : check.results) {
    result = ResultFromJson(ToJson(result)).value();
  }
  const Json results = DataOf(check)["results"];
  EXPECT_EQ(results[0]["payload_text"], "none");
  EXPECT_EQ(results[1]["payload_text"], "9.13122");
  EXPECT_EQ(results[2]["payload_text"], "any");
  EXPECT_EQ(results[3]["payload_text"], "-");
  EXPECT_EQ(results[3]["slow_down_text"], "at no pace");
  EXPECT_EQ(results[4]["slow_down_text"], "9.87859");
  EXPECT_EQ(results[5]["severity"], "Infinity");
}

TEST(ReportPage, OfPositionsOutsideTheirLimitsNoPaceIsTold) {
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

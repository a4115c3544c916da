#include "client/cli/check/reports.h"

#include <gmock/gmock.h>

#include <cmath>

namespace torqued::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// `failed` files, then those that pass, then those without a verdict.
Json Checked(int failed, int passed, int errors) {
  Json check = {
      {"directory", "moves</script><b>"},
      {"model", "arm"},
      {"revision", "0123456789abcdef"},
      {"server_version", "9.8.7"},
      {"asked", {{"derating", 0.75}}},
      {"asked_words",
       {{{"title", "derating"}, {"words", "all torque limits times 0.75"}}}},
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
      result["error"] = "DATA (" + file + "): no <rows>";
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

Json PageData(const Json& check) { return DataOf(DirectoryPage(check)); }

TEST(ReportPage, NoTextIsMarkup) {
  const std::string page = DirectoryPage(Checked(2, 3, 1));
  EXPECT_THAT(page, Not(HasSubstr("</script><b>")));
  EXPECT_THAT(page, Not(HasSubstr("<elbow>")));
  EXPECT_THAT(page, Not(HasSubstr("<rows>")));
  // Without scripts.
  EXPECT_THAT(page, HasSubstr("torque of &lt;elbow&gt;"));
  EXPECT_THAT(page, HasSubstr("(m5&amp;.csv): no &lt;rows&gt;\n"));
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

TEST(ReportPage, PayloadsAndPacesAreRoundedToWhatPasses) {
  Json check = Checked(6, 0, 0);
  check["results"][0]["payload_possible"] = false;
  check["results"][1]["payload_possible"] = true;
  check["results"][1]["largest_payload"] = 9.1312290806;
  check["results"][2]["largest_payload"] = "Infinity";
  check["results"][3].erase("slow_down");
  check["results"][4]["slow_down"] = 9.8785826747;
  const Json results = PageData(check)["results"];
  EXPECT_EQ(results[0]["payload_text"], "none");
  EXPECT_EQ(results[1]["payload_text"], "9.13122");
  EXPECT_EQ(results[2]["payload_text"], "any");
  EXPECT_EQ(results[3]["payload_text"], "-");
  EXPECT_EQ(results[3]["slow_down_text"], "at no pace");
  EXPECT_EQ(results[4]["slow_down_text"], "9.87859");
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

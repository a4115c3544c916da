#include <gmock/gmock.h>

#include <sstream>

#include "client/cli/formats/number_text.h"
#include "client/cli/terminal/progress_bar.h"

namespace torqued::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

const ProgressBar::TimePoint kStart{seconds(100)};

TEST(DurationText, ChoosesItsUnit) {
  EXPECT_EQ(DurationText(0.019), "19 ms");
  EXPECT_EQ(DurationText(0.0996), "0.1 s");
  EXPECT_EQ(DurationText(9.94), "9.9 s");
  EXPECT_EQ(DurationText(9.96), "10 s");
  EXPECT_EQ(DurationText(59.6), "1 min 00 s");
  EXPECT_EQ(DurationText(185), "3 min 05 s");
  EXPECT_EQ(DurationText(7620), "2 h 07 min");
}

TEST(CountText, HasThreeSignificantDigits) {
  EXPECT_EQ(CountText(0), "0");
  EXPECT_EQ(CountText(999), "999");
  EXPECT_EQ(CountText(1000), "1.00 k");
  EXPECT_EQ(CountText(9996), "10.0 k");
  EXPECT_EQ(CountText(123'456), "123 k");
  EXPECT_EQ(CountText(999'600), "1.00 M");
  EXPECT_EQ(CountText(45'600'000), "45.6 M");
  EXPECT_EQ(CountText(2e9), "2.00 G");
}

TEST(ProgressBar, RewritesOneLineAndRemovesIt) {
  std::ostringstream out;
  ProgressBar bar(out, ProgressStyle::kBar, "states", 1000, kStart);
  bar.Update(500, kStart + seconds(1));
  EXPECT_THAT(out.str(), HasSubstr("[###############...............]"));
  EXPECT_THAT(out.str(), HasSubstr(" 50 %  500 of 1.00 k states  500/s"));
  EXPECT_THAT(out.str(), HasSubstr("1.0 s left"));
  EXPECT_EQ(out.str().find('\n'), std::string::npos);
  bar.Clear();
  EXPECT_TRUE(out.str().ends_with("\r\x1b[K"));
}

TEST(ProgressBar, WritesLinesThatNeverGoBackNorBeyondTheTotal) {
  std::ostringstream out;
  ProgressBar bar(out, ProgressStyle::kLines, "states", 100, kStart);
  bar.Update(30, kStart + seconds(1));
  bar.Update(60, kStart + seconds(2));
  bar.Update(40, kStart + seconds(4));
  bar.Update(1000, kStart + seconds(8));
  bar.Clear();
  EXPECT_EQ(out.str(),
            " 60 %  60 of 100 states  30/s  1.3 s left\n"
            " 60 %  60 of 100 states  15/s  2.7 s left\n"
            "100 %  100 of 100 states  12/s  0 ms left\n");
}

TEST(ProgressBar, DrawsAtMostTenTimesASecond) {
  std::ostringstream out;
  ProgressBar bar(out, ProgressStyle::kBar, "states", 1000, kStart);
  for (int k = 1; k <= 1000; ++k) bar.Update(k, kStart + milliseconds(k));
  const std::string text = out.str();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\r'), 10);
}

}  // namespace
}  // namespace torqued::cli

#include <gmock/gmock.h>

#include <sstream>

#include "client/cli/terminal/progress_bar.h"
#include "client/cli/terminal/progress_meter.h"

namespace torqued::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

const ProgressMeter::TimePoint kStart{seconds(100)};

TEST(ProgressMeter, TellsSpeedAndTimeLeftFromWhatIsDone) {
  ProgressMeter meter(1000, kStart);
  EXPECT_EQ(meter.fraction(), 0);
  EXPECT_EQ(meter.per_second(), 0);
  EXPECT_EQ(meter.seconds_left(), std::nullopt);
  meter.Update(250, kStart + seconds(2));
  EXPECT_EQ(meter.fraction(), 0.25);
  EXPECT_EQ(meter.per_second(), 125);
  EXPECT_EQ(meter.seconds_left(), 6);
  meter.Update(1000, kStart + seconds(4));
  EXPECT_EQ(meter.fraction(), 1);
  EXPECT_EQ(meter.seconds_left(), 0);
}

TEST(ProgressMeter, NeverGoesBackNorBeyondTheTotal) {
  ProgressMeter meter(100, kStart);
  meter.Update(60, kStart + seconds(2));
  meter.Update(40, kStart + seconds(1));
  EXPECT_EQ(meter.done(), 60);
  EXPECT_EQ(meter.elapsed_seconds(), 2);
  meter.Update(1000, kStart + seconds(3));
  EXPECT_EQ(meter.done(), 100);
}

TEST(ProgressMeter, IsDoneWhenThereIsNothingToDo) {
  EXPECT_EQ(ProgressMeter(0, kStart).fraction(), 1);
}

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

TEST(ProgressBar, DrawsAtMostTenTimesASecond) {
  std::ostringstream out;
  ProgressBar bar(out, ProgressStyle::kBar, "states", 1000, kStart);
  for (int k = 1; k <= 1000; ++k) bar.Update(k, kStart + milliseconds(k));
  const std::string text = out.str();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\r'), 10);
}

TEST(ProgressBar, WritesPlainLinesNowAndThenWhereThereIsNoTerminal) {
  std::ostringstream out;
  ProgressBar bar(out, ProgressStyle::kLines, "states", 100'000, kStart);
  for (int k = 1; k <= 100; ++k) {
    bar.Update(1000 * k, kStart + milliseconds(100) * k);
  }
  bar.Clear();
  const std::string text = out.str();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 5);
  EXPECT_EQ(text.find('\r'), std::string::npos);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST(ProgressBar, IsSilentWhenAskedToBe) {
  std::ostringstream out;
  ProgressBar bar(out, ProgressStyle::kNone, "states", 10, kStart);
  bar.Update(5, kStart + seconds(100));
  bar.Clear();
  EXPECT_EQ(out.str(), "");
  EXPECT_EQ(bar.meter().done(), 5);
}

}  // namespace
}  // namespace torqued::cli

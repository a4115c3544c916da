#include "client/cli/plot/torque_summary.h"

#include <gmock/gmock.h>

#include <cmath>

namespace torqued::cli {
namespace {

const double kNan = std::nan("");

TEST(SummarizeTorques, FindsThePeakWithItsSignSampleAndTime) {
  const client::Batch tau =
      (client::Batch(4, 2) << 1, 5, -3, 5, 2, -5, 3, 4).finished();
  const TorqueSummary summary = SummarizeTorques(
      tau, {0, 0.1, 0.2, 0.3}, {"a", "b"}, {6.0, std::nullopt});
  EXPECT_EQ(summary.joints[0].peak, -3);
  EXPECT_EQ(summary.joints[0].peak_sample, 1);
  EXPECT_EQ(summary.joints[0].peak_time, 0.1);
  EXPECT_EQ(summary.joints[0].utilization(), 0.5);
  // Of equals the first.
  EXPECT_EQ(summary.joints[1].peak_sample, 0);
  EXPECT_EQ(summary.joints[1].utilization(), std::nullopt);
}

TEST(SummarizeTorques, CountsSamplesBeyondTheLimitButNotAtIt) {
  const client::Batch tau =
      (client::Batch(4, 1) << 10, -10, 10.0000001, -11).finished();
  const TorqueSummary summary = SummarizeTorques(tau, {}, {"a"}, {10.0});
  EXPECT_EQ(summary.joints[0].samples_over_limit, 2);
  EXPECT_TRUE(summary.exceeds_limits());
  EXPECT_FALSE(SummarizeTorques(tau, {}, {"a"}, {11.0}).exceeds_limits());
}

TEST(SummarizeTorques, PassesOverSamplesWithoutANumber) {
  const client::Batch tau =
      (client::Batch(3, 2) << kNan, kNan, 2, kNan, 1, kNan).finished();
  const TorqueSummary summary =
      SummarizeTorques(tau, {}, {"a", "b"}, {10.0, 10.0});
  EXPECT_EQ(summary.joints[0].peak, 2);
  EXPECT_EQ(summary.joints[1].peak, std::nullopt);
  EXPECT_FALSE(summary.exceeds_limits());
}

TEST(SummarizeTorques, NamesTheJointThatIsMostLoadedForItsLimit) {
  const client::Batch tau = (client::Batch(1, 3) << 50, 6, 1000).finished();
  const TorqueSummary summary =
      SummarizeTorques(tau, {}, {"a", "b", "c"}, {100.0, 10.0, std::nullopt});
  EXPECT_EQ(summary.most_loaded(), 1u);
  EXPECT_EQ(
      SummarizeTorques(tau, {}, {"a", "b", "c"}, {{}, {}, {}}).most_loaded(),
      std::nullopt);
}

TEST(UtilizationText, TellsJustBelowFromJustAboveTheLimit) {
  EXPECT_EQ(UtilizationText(0.4579), "45.8 %");
  EXPECT_EQ(UtilizationText(0.99999), "99.9 %");
  EXPECT_EQ(UtilizationText(1), "100.0 %");
  EXPECT_EQ(UtilizationText(1.00001), "100.1 %");
  EXPECT_EQ(UtilizationText(2.5), "250.0 %");
  EXPECT_EQ(UtilizationText(HUGE_VAL), "over 100 %");
}

TEST(SummarizeTorques, TakesALimitOfZeroAtItsWord) {
  const client::Batch tau = (client::Batch(1, 2) << 0, 1e-9).finished();
  const TorqueSummary summary =
      SummarizeTorques(tau, {}, {"a", "b"}, {0.0, 0.0});
  EXPECT_EQ(summary.joints[0].utilization(), 0);
  EXPECT_TRUE(std::isinf(*summary.joints[1].utilization()));
  EXPECT_TRUE(summary.exceeds_limits());
}

}  // namespace
}  // namespace torqued::cli

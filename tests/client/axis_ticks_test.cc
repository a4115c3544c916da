#include "client/cli/plot/axis_ticks.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <random>
#include <set>

namespace torqued::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> Labels(const std::vector<Tick>& ticks) {
  std::vector<std::string> labels;
  labels.reserve(ticks.size());
  for (const Tick& tick : ticks) labels.push_back(tick.label);
  return labels;
}

TEST(AxisTicks, AreRoundNumbersWithTheDigitsTheyNeed) {
  EXPECT_THAT(Labels(AxisTicks(0, 10, 6)),
              ElementsAre("0", "2", "4", "6", "8", "10"));
  EXPECT_THAT(Labels(AxisTicks(-92, 92, 5)),
              ElementsAre("\u221250", "0", "50"));
  EXPECT_THAT(Labels(AxisTicks(-0.065, 0.066, 5)),
              ElementsAre("\u22120.05", "0.00", "0.05"));
  EXPECT_THAT(Labels(AxisTicks(0, 0.3, 4)),
              ElementsAre("0.0", "0.1", "0.2", "0.3"));
}

TEST(AxisTicks, FarFromZeroAreToldApart) {
  // Seconds since 1970.
  EXPECT_THAT(Labels(AxisTicks(1.7e9, 1.7e9 + 20, 5)),
              ElementsAre("1700000000", "1700000005", "1700000010",
                          "1700000015", "1700000020"));
  std::mt19937_64 random(8);
  std::uniform_real_distribution<double> exponent(-9, 12);
  for (int k = 0; k < 5000; ++k) {
    const double low = std::pow(10, exponent(random));
    const auto labels = Labels(AxisTicks(low, low + 1e-9 * low, 11));
    EXPECT_GE(labels.size(), 2u) << low;
    EXPECT_EQ(std::set(labels.begin(), labels.end()).size(), labels.size())
        << low;
  }
}

TEST(AxisTicks, FarFromZeroHaveEquallyManyDecimals) {
  EXPECT_THAT(Labels(AxisTicks(1.7e9, 1.7e9 + 0.4, 5)),
              ElementsAre("1700000000.0", "1700000000.1", "1700000000.2",
                          "1700000000.3", "1700000000.4"));
}

TEST(AxisTicks, StayInsideDifferAndAreNotTooMany) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> exponent(-9, 9), shift(-3, 3);
  for (int k = 0; k < 5000; ++k) {
    const double span = std::pow(10, exponent(random));
    const double low = shift(random) * span;
    const double high = low + span;
    for (const int max_count : {2, 5, 11}) {
      const auto ticks = AxisTicks(low, high, max_count);
      EXPECT_LE(ticks.size(), static_cast<std::size_t>(max_count));
      if (max_count >= 5) {
        EXPECT_GE(ticks.size(), 2u);
      }
      std::set<std::string> labels;
      for (const Tick& tick : ticks) {
        EXPECT_GE(tick.value, low - 1e-6 * span);
        EXPECT_LE(tick.value, high + 1e-6 * span);
        EXPECT_TRUE(labels.insert(tick.label).second)
            << tick.label << " twice in " << low << " .. " << high;
      }
    }
  }
}

TEST(AxisTicks, AreNoneOnAnAxisThatIsNone) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_THAT(AxisTicks(1, 1, 5), IsEmpty());
  EXPECT_THAT(AxisTicks(2, 1, 5), IsEmpty());
  EXPECT_THAT(AxisTicks(0, infinity, 5), IsEmpty());
  EXPECT_THAT(AxisTicks(std::nan(""), 1, 5), IsEmpty());
  EXPECT_THAT(AxisTicks(-1e308, 1e308, 5), IsEmpty());
}

TEST(AxisTicks, AreNoneWhereDoublesLieFurtherApart) {
  EXPECT_THAT(AxisTicks(1e18, 1e18 + 256, 5), IsEmpty());
  EXPECT_THAT(AxisTicks(-1e18 - 256, -1e18, 5), IsEmpty());
  const double low = 1.7e9, apart = std::nextafter(low, 2e9) - low;
  EXPECT_THAT(AxisTicks(low, low + 8 * apart, 11), IsEmpty());
}

}  // namespace
}  // namespace torqued::cli

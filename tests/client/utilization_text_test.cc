#include "client/cli/check/utilization_text.h"

#include <gmock/gmock.h>

#include <cmath>

namespace torqued::cli {
namespace {

TEST(UtilizationText, TellsJustBelowFromJustAboveTheLimit) {
  EXPECT_EQ(UtilizationText(0.4579), "45.8 %");
  EXPECT_EQ(UtilizationText(0.99999), "99.9 %");
  EXPECT_EQ(UtilizationText(1), "100.0 %");
  EXPECT_EQ(UtilizationText(1.00001), "100.1 %");
  EXPECT_EQ(UtilizationText(2.5), "250.0 %");
  EXPECT_EQ(UtilizationText(HUGE_VAL), "over 100 %");
}

}  // namespace
}  // namespace torqued::cli

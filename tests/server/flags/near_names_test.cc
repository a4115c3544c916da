#include "server/flags/near_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace torqued::flags {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TEST(NearNames, NearestFirst) {
  const std::vector<std::string> known = {"iiwa14", "panda", "pandas", "ur10e",
                                          "ur5e"};
  EXPECT_THAT(NearNames("ur5", known), ElementsAre("ur5e"));
  EXPECT_THAT(NearNames("padna", known), ElementsAre("panda"));
  EXPECT_THAT(NearNames("pand", known), ElementsAre("panda", "pandas"));
  // Not by byte order.
  EXPECT_THAT(NearNames("arm", std::vector<std::string>{"arm-left", "arm2"}),
              ElementsAre("arm2", "arm-left"));
}

TEST(NearNames, WhatGoesOnIsNear) {
  const std::vector<std::string> known = {"cell-3-left-arm-calibrated", "x"};
  EXPECT_THAT(NearNames("cell-3", known), SizeIs(1));
}

TEST(NearNames, NothingInCommonIsNotNear) {
  const std::vector<std::string> known = {"ab", "panda"};
  EXPECT_THAT(NearNames("xy", known), IsEmpty());
  EXPECT_THAT(NearNames("spot", known), IsEmpty());
}

TEST(NearNames, AtMostFive) {
  const std::vector<std::string> known = {"arm0", "arm1", "arm2",
                                          "arm3", "arm4", "arm5"};
  EXPECT_THAT(NearNames("arm", known), SizeIs(5));
}

}  // namespace
}  // namespace torqued::flags

#include "server/flags/near_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

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

TEST(NearNames, LongNamesAreNotCompared) {
  const std::vector<std::string> known{std::string(129, 'a')};
  EXPECT_THAT(NearNames(std::string(128, 'a'), known), SizeIs(1));
  EXPECT_THAT(NearNames(std::string(129, 'a'), known), IsEmpty());
}

TEST(NearNames, CountsInsertionsDeletionsAndReplacements) {
  const auto is_near = [](const std::string& name, const std::string& other) {
    return !NearNames(name, std::vector<std::string>{other}).empty();
  };
  // Three of nine characters may differ.
  EXPECT_TRUE(is_near("abcdefghi", "xbcyefgzi"));
  EXPECT_TRUE(is_near("abcdefghi", "xabcdefghi12"));
  EXPECT_TRUE(is_near("abcdefghi", "bcdfgi"));
  EXPECT_FALSE(is_near("abcdefghi", "xbcyefgzz"));
  EXPECT_FALSE(is_near("abcdefghi", "xabcdefghi123"));
  EXPECT_FALSE(is_near("abcdefghi", "bcdfg"));
}

TEST(NearNames, WhatGoesOnIsFoundBehindManyThatDoNot) {
  std::vector<std::string> known(10'000, std::string(100, 'a'));
  known.push_back(std::string(100, 'b') + "-left");
  EXPECT_THAT(NearNames(std::string(100, 'b'), known),
              ElementsAre(known.back()));
}

TEST(NameHint, TellsTheNearestElseTheFirst) {
  const std::vector<std::string> known{"a", "b", "c", "d", "e", "f"};
  EXPECT_EQ(NameHint(std::vector<std::string>{"b", "c"}, known),
            "; did you mean b, c?");
  EXPECT_EQ(NameHint({}, known), "; known are a, b, c, d, e, ...");
  EXPECT_EQ(NameHint({}, std::span(known).first(5)),
            "; known are a, b, c, d, e");
  EXPECT_EQ(NameHint({}, {}), "");
}

}  // namespace
}  // namespace torqued::flags

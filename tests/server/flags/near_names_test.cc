#include "server/flags/near_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>
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

// The textbook's table.
std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(
      a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
      } else {
        d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1,
                            d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      }
    }
  }
  return d[a.size()][b.size()];
}

TEST(NearNames, AreThoseThatTheTableOfDistancesSays) {
  std::mt19937 random(5);
  int near = 0, far = 0;
  for (int round = 0; round < 3000; ++round) {
    // Lengths around the borders of words, few letters, some in common.
    const std::size_t size = std::vector<std::size_t>{
        1, 3, 20, 63, 64, 65, 100, 127, 128}[random() % 9];
    std::string name;
    while (name.size() < size) name += "ab\xE9"[random() % 3];
    std::string other = name;
    for (auto edits = random() % (size + 2); edits > 0; --edits) {
      const std::size_t at = random() % (other.size() + 1);
      if (random() % 2 == 0) {
        other.insert(at, 1, "abc"[random() % 3]);
      } else if (at < other.size()) {
        other.erase(at, 1);
      }
    }
    const std::size_t distance = EditDistance(name, other);
    const bool expected =
        other.starts_with(name) ||
        (distance <= std::max<std::size_t>(2, size / 3) && distance < size);
    (expected ? near : far) += 1;
    EXPECT_THAT(NearNames(name, std::vector<std::string>{other}),
                SizeIs(expected ? 1 : 0))
        << name << " and " << other << ": " << distance;
  }
  EXPECT_GT(near, 300);
  EXPECT_GT(far, 300);
}

TEST(NearNames, WhatGoesOnIsFoundBehindTheLastStep) {
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

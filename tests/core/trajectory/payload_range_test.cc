#include "core/trajectory/verdict.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/support/random_robot.h"

namespace torqued {
namespace {

using testing_support::Random;

struct Sample {
  double without, with, limit;
};

bool Passes(const std::vector<Sample>& samples, double share, double slack) {
  for (const auto& [without, with, limit] : samples) {
    if (std::abs(without + share * (with - without)) > limit + slack) {
      return false;
    }
  }
  return true;
}

TEST(PayloadRange, IsAllThatPasses) {
  int found_some = 0, found_none = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    std::vector<Sample> samples;
    PayloadSearch search;
    for (int k = 0; k < 6; ++k) {
      samples.push_back({random.Uniform(-22, 22), random.Uniform(-40, 40), 20});
      search.Add({samples.back().without,
                  samples.back().with - samples.back().without},
                 20, {k, 0});
    }
    const auto shares = search.Find();
    for (int k = 0; k < 2000; ++k) {
      const double share = 0.01 * k;
      const bool inside =
          shares && share >= shares->least && share <= shares->most;
      EXPECT_EQ(Passes(samples, share, inside ? 1e-9 : -1e-9), inside)
          << "seed " << seed << ", share " << share;
    }
    if (shares) {
      ++found_some;
      const auto& at =
          samples[static_cast<std::size_t>(shares->limited_by.row)];
      EXPECT_FALSE(Passes({at}, shares->most + 1e-6, 0)) << seed;
    } else {
      ++found_none;
    }
  }
  EXPECT_GT(found_some, 50);
  EXPECT_GT(found_none, 20);
}

TEST(PayloadRange, WithoutLimitsThereIsNoEnd) {
  PayloadSearch search;
  search.Add({1, 1}, std::numeric_limits<double>::infinity(), {0, 0});
  ASSERT_TRUE(search.Find());
  EXPECT_EQ(search.Find()->least, 0);
  EXPECT_TRUE(std::isinf(search.Find()->most));
  EXPECT_EQ(search.Find()->limited_by.row, -1);
}

TEST(PayloadRange, WhatNoPayloadMovesDecidesAlone) {
  PayloadSearch passes, fails;
  passes.Add({19, 0}, 20, {0, 0});
  fails.Add({21, 0}, 20, {0, 0});
  EXPECT_TRUE(passes.Find());
  EXPECT_FALSE(fails.Find());
}

}  // namespace
}  // namespace torqued

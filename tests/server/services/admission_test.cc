#include "server/services/admission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <thread>
#include <vector>

namespace torqued::server {
namespace {

using ::testing::Contains;
using ::testing::Pair;

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

std::optional<Error> Refused(Admission& admission, Admission::Load load) {
  auto outcome = admission.Admit(load);
  if (auto* error = std::get_if<Error>(&outcome)) return std::move(*error);
  return std::nullopt;
}

TEST(AdmissionTest, WhatDoesNotFitNowIsToldToRetry) {
  Admission admission({10, 1000});
  auto first = admission.Admit({6, 100});
  ASSERT_TRUE(std::holds_alternative<Admission::Ticket>(first));
  EXPECT_FALSE(Refused(admission, {4, 100}));
  const auto error = Refused(admission, {5, 100});
  ASSERT_TRUE(error);
  EXPECT_EQ(error->reason, v1::OVERLOADED);
  EXPECT_TRUE(error->retry_after);
  EXPECT_THAT(error->metadata, Contains(Pair("limit", "10")));
  EXPECT_THAT(error->metadata, Contains(Pair("setting", "max-inflight-rows")));
}

TEST(AdmissionTest, WhatCanWaitLeavesHalfToOthers) {
  constexpr auto kHalf = Admission::Reach::kHalfTheLimit;
  Admission admission({10, 1000});
  const auto reason = [&](Admission::Load load) {
    auto outcome = admission.Admit(load, kHalf);
    auto* error = std::get_if<Error>(&outcome);
    return error == nullptr ? v1::REASON_UNSPECIFIED : error->reason;
  };
  EXPECT_EQ(reason({5, 500}), v1::REASON_UNSPECIFIED);
  EXPECT_EQ(reason({6, 0}), v1::OVERLOADED);
  EXPECT_EQ(reason({0, 501}), v1::OVERLOADED);
  EXPECT_EQ(reason({11, 0}), v1::REQUEST_TOO_LARGE);
  // With what is under way already.
  const auto others = admission.Admit({2, 0});
  EXPECT_EQ(reason({3, 0}), v1::REASON_UNSPECIFIED);
  EXPECT_EQ(reason({4, 0}), v1::OVERLOADED);
  EXPECT_FALSE(Refused(admission, {8, 1000}));
}

TEST(AdmissionTest, WhatNeverFitsIsNotToldToRetry) {
  Admission admission({10, 1000});
  const auto rows = Refused(admission, {11, 0});
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->reason, v1::REQUEST_TOO_LARGE);
  EXPECT_FALSE(rows->retry_after);
  const auto bytes = Refused(admission, {1, kHuge});
  ASSERT_TRUE(bytes);
  EXPECT_EQ(bytes->reason, v1::REQUEST_TOO_LARGE);
}

TEST(AdmissionTest, TicketsGiveBackWhatTheyTook) {
  Admission admission({10, 1000});
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(Refused(admission, {10, 1000})) << i;
  }
}

TEST(AdmissionTest, ARefusalForBytesKeepsNoRows) {
  Admission admission({10, 1000});
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(Refused(admission, {10, 1001}));
  EXPECT_FALSE(Refused(admission, {10, 1000}));
}

TEST(AdmissionTest, StreamsAreCountedBesideTheirWork) {
  Admission admission({10, 1000, 2});
  auto first = admission.Admit({.streams = 1});
  {
    const auto second = admission.Admit({.streams = 1});
    const auto error = Refused(admission, {1, 1, 1});
    ASSERT_TRUE(error);
    EXPECT_EQ(error->reason, v1::OVERLOADED);
    EXPECT_THAT(error->metadata,
                Contains(Pair("setting", "max-inflight-streams")));
    // The refusal keeps nothing, and streams take no rows.
    EXPECT_FALSE(Refused(admission, {10, 1000}));
  }
  EXPECT_FALSE(Refused(admission, {.streams = 1}));
}

TEST(AdmissionTest, AMovedTicketGivesBackOnce) {
  Admission admission({10, 1000});
  {
    auto outcome = admission.Admit({10, 0});
    Admission::Ticket kept;
    {
      Admission::Ticket moved = std::get<Admission::Ticket>(std::move(outcome));
      kept = std::move(moved);
    }
    EXPECT_TRUE(Refused(admission, {1, 0}));
  }
  EXPECT_FALSE(Refused(admission, {10, 0}));
  EXPECT_TRUE(Refused(admission, {11, 0}));
}

TEST(AdmissionTest, NeverMoreThanTheLimitUnderContention) {
  Admission admission({3, kHuge});
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20'000; ++i) {
        auto outcome = admission.Admit({2, 1});
        if (!std::holds_alternative<Admission::Ticket>(outcome)) continue;
        const int now = ++inside;
        if (now > most) most = now;
        --inside;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(most, 1);
  EXPECT_FALSE(Refused(admission, {3, kHuge}));
}

}  // namespace
}  // namespace torqued::server

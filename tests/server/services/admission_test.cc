#include "server/services/admission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <thread>
#include <vector>

namespace torqued::server {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Pair;

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

std::optional<Error> Refused(Admission& admission, Admission::Load load,
                             PeerId peer = kNoPeer) {
  auto outcome = admission.Admit(load, Admission::Reach::kLimit, peer);
  if (auto* error = std::get_if<Error>(&outcome)) return std::move(*error);
  return std::nullopt;
}

TEST(AdmissionTest, WhatDoesNotFitNowIsToldToRetry) {
  Admission admission({10, 1000});
  auto first = admission.Admit({6, 100});
  ASSERT_TRUE(std::holds_alternative<Admission::Ticket>(first));
  EXPECT_FALSE(Refused(admission, {3, 100}));
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
  EXPECT_FALSE(Refused(admission, {7, 1000}));
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

Admission::Ticket Admitted(Admission& admission, Admission::Load load,
                           PeerId peer) {
  auto outcome = admission.Admit(load, Admission::Reach::kLimit, peer);
  auto* ticket = std::get_if<Admission::Ticket>(&outcome);
  EXPECT_NE(ticket, nullptr);
  return ticket == nullptr ? Admission::Ticket() : std::move(*ticket);
}

TEST(AdmissionTest, WhatIsWithinItsShareAlwaysFindsRoom) {
  Admission admission({8000, 80'000, 40}, 10);
  EXPECT_EQ(admission.share().rows, 200);
  EXPECT_EQ(admission.share().bytes, 2000);
  EXPECT_EQ(admission.share().streams, 1);
  // One peer alone may take all there is, at once.
  const auto all = Admitted(admission, {8000, 80'000, 40}, 1);
  EXPECT_TRUE(Refused(admission, {1, 0, 0}, 1));
  std::vector<Admission::Ticket> small;
  for (PeerId peer = 2; peer <= 11; ++peer) {
    small.push_back(Admitted(admission, {150, 1500, 1}, peer));
    small.push_back(Admitted(admission, {50, 500, 0}, peer));
    // Beyond that it would have to borrow.
    EXPECT_TRUE(Refused(admission, {1, 0, 0}, peer));
    EXPECT_TRUE(Refused(admission, {0, 1, 0}, peer));
    EXPECT_TRUE(Refused(admission, {0, 0, 1}, peer));
  }
}

TEST(AdmissionTest, APeerThatHoldsMuchIsTheOneThatIsRefused) {
  Admission admission({8000, kHuge}, 100);
  const auto first = Admitted(admission, {4000, 1}, 1);
  const auto second = Admitted(admission, {3000, 1}, 1);
  const auto error = Refused(admission, {1, 1}, 1);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->reason, v1::OVERLOADED);
  EXPECT_TRUE(error->retry_after);
  EXPECT_THAT(error->message, HasSubstr("This connection"));
  // An eighth is left to others, and of that again.
  const auto others = Admitted(admission, {800, 1}, 2);
  EXPECT_TRUE(Refused(admission, {100, 1}, 2));
  EXPECT_FALSE(Refused(admission, {150, 1}, 3));
}

TEST(AdmissionTest, WhatTakesNothingGivesNothingBack) {
  Admission admission({10, 1000});
  auto nothing = Admitted(admission, {}, 1);
  {
    const auto theirs = Admitted(admission, {5, 5}, 1);
  }
  nothing = Admission::Ticket();
  auto late = Admitted(admission, {}, 1);
  EXPECT_FALSE(Refused(admission, {10, 1000}, 1));
}

TEST(AdmissionTest, WhatACallHoldsItselfIsNothingElse) {
  Admission admission({kHuge, 1000});
  const auto request = Admitted(admission, {1, 300}, 1);
  EXPECT_TRUE(Refused(admission, {1, 700}, 1));
  EXPECT_TRUE(std::holds_alternative<Admission::Ticket>(
      admission.Admit({1, 700}, Admission::Reach::kLimit, 1, &request)));
  const auto other = Admitted(admission, {1, 100}, 1);
  EXPECT_FALSE(std::holds_alternative<Admission::Ticket>(
      admission.Admit({1, 600}, Admission::Reach::kLimit, 1, &request)));
}

TEST(AdmissionTest, WhatIsGivenBackIsThePeers) {
  Admission admission({8000, kHuge}, 100);
  for (int k = 0; k < 100; ++k) {
    const auto theirs = Admitted(admission, {6000, 1}, 1);
    const auto small = Admitted(admission, {20, 1}, 1);
    const auto ours = Admitted(admission, {1900, 1}, 2);
    EXPECT_TRUE(Refused(admission, {4000, 1}, 3));
  }
  EXPECT_FALSE(Refused(admission, {8000, kHuge}, 3));
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

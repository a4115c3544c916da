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
      admission.Admit({1, 700}, Admission::Reach::kLimit, 1, request.load())));
  const auto other = Admitted(admission, {1, 100}, 1);
  EXPECT_FALSE(std::holds_alternative<Admission::Ticket>(
      admission.Admit({1, 600}, Admission::Reach::kLimit, 1, request.load())));
}

TEST(AdmissionTest, WhatNeverFitsBesideItsOwnRequestIsNotToldToRetry) {
  Admission admission({kHuge, 1000});
  const auto request = Admitted(admission, {1, 300}, 1);
  auto outcome =
      admission.Admit({1, 800}, Admission::Reach::kLimit, 1, request.load());
  const auto* error = std::get_if<Error>(&outcome);
  ASSERT_NE(error, nullptr);
  EXPECT_EQ(error->reason, v1::REQUEST_TOO_LARGE);
  EXPECT_THAT(error->message, HasSubstr("1100 bytes"));
  EXPECT_FALSE(error->retry_after);
}

TEST(AdmissionTest, WhatIsAddedToATicketIsGivenBackWithIt) {
  Admission admission({10, 1000, 5});
  auto ticket = Admitted(admission, {1, 100, 1}, 7);
  ticket.Add(Admitted(admission, {2, 300, 0}, 7));
  ticket.Add({});
  EXPECT_EQ(ticket.load(), (Admission::Load{3, 400, 1}));
  EXPECT_EQ(admission.held(), (Admission::Load{3, 400, 1}));
  ticket.KeepBytes(500);
  EXPECT_EQ(admission.held(), (Admission::Load{3, 400, 1}));
  ticket.KeepBytes(50);
  EXPECT_EQ(admission.held(), (Admission::Load{3, 50, 1}));
  Admission::Ticket empty;
  empty.Add(std::move(ticket));
  // NOLINTNEXTLINE(bugprone-use-after-move): it is to hold nothing
  EXPECT_EQ(ticket.load(), Admission::Load());
  EXPECT_EQ(admission.held(), (Admission::Load{3, 50, 1}));
  empty = {};
  EXPECT_EQ(admission.held(), Admission::Load());
}

TEST(AdmissionTest, WithoutSharesNobodyIsOwedAnything) {
  Admission admission({8000, 8000, 8}, Admission::kNoShares);
  EXPECT_EQ(admission.share(), Admission::Load());
  const auto all = Admitted(admission, {8000, 8000, 8}, 1);
  EXPECT_TRUE(Refused(admission, {1, 0, 0}, 2));
  EXPECT_TRUE(Refused(admission, {0, 1, 0}, 2));
  EXPECT_TRUE(Refused(admission, {0, 0, 1}, 2));
}

/// Whether it is admitted as what a peer may hold as long as it likes, in which
/// case `held` holds it, too.
bool TakesSlowly(Admission& admission, std::int64_t bytes, PeerId peer,
                 Admission::Ticket* held) {
  auto outcome =
      admission.Admit({.bytes = bytes}, Admission::Reach::kSlow, peer);
  auto* ticket = std::get_if<Admission::Ticket>(&outcome);
  if (ticket != nullptr) held->Add(std::move(*ticket));
  return ticket != nullptr;
}

TEST(AdmissionTest, WhatIsSlowLeavesRoomToWhatIsSlowOfOthers) {
  Admission admission({10, 16'000}, Admission::kNoShares);
  EXPECT_EQ(admission.most_slow_bytes(), 7000);
  Admission::Ticket first, second, third;
  // In steps, of half of the limit, an eighth less.
  for (int k = 0; k < 7; ++k) {
    EXPECT_TRUE(TakesSlowly(admission, 1000, 1, &first)) << k;
  }
  EXPECT_FALSE(TakesSlowly(admission, 1, 1, &first));
  EXPECT_TRUE(TakesSlowly(admission, 875, 2, &second));
  EXPECT_FALSE(TakesSlowly(admission, 1, 2, &second));
  EXPECT_TRUE(TakesSlowly(admission, 100, 3, &third));
  // The other half is for what is not.
  EXPECT_FALSE(Refused(admission, {.bytes = 8000}, 4));
  first = {};
  EXPECT_TRUE(TakesSlowly(admission, 5000, 3, &third));
}

TEST(AdmissionTest, WhatIsSlowFindsRoomBesideWhoTakesAllTheRest) {
  Admission admission({10, 16'000}, Admission::kNoShares);
  const auto few = Admitted(admission, {.bytes = 1}, 1);
  const auto greedy = Admitted(admission, {.bytes = 13'990}, 1);
  EXPECT_TRUE(Refused(admission, {.bytes = 1000}, 1));
  Admission::Ticket slow, other;
  EXPECT_TRUE(TakesSlowly(admission, 1700, 2, &slow));
  EXPECT_FALSE(TakesSlowly(admission, 100, 2, &slow));
  // An eighth is left of that, too.
  EXPECT_TRUE(TakesSlowly(admission, 200, 3, &other));
  EXPECT_FALSE(Refused(admission, {.bytes = 50}, 4));
}

TEST(AdmissionTest, WhatIsSlowCountsAsSuchUntilItIsGivenBack) {
  Admission admission({10, 16'000}, Admission::kNoShares);
  for (int k = 0; k < 100; ++k) {
    Admission::Ticket slow;
    EXPECT_TRUE(TakesSlowly(admission, 7000, 1, &slow)) << k;
    slow.KeepBytes(2000);
    EXPECT_TRUE(TakesSlowly(admission, 5000, 1, &slow)) << k;
  }
  EXPECT_EQ(admission.held(), Admission::Load());
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
  constexpr int kThreads = 4;
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t) {
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

#include "server/services/admission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <optional>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

namespace torqued::server {
namespace {

using ::testing::Contains;
using ::testing::Pair;

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

std::optional<Error> Refused(Admission& admission, Admission::Load load,
                             PeerId peer = kNoPeer,
                             const Reservation* own = nullptr) {
  return Reservation(admission, peer, own).Grow(load.bytes, load.streams);
}

class Admitted : public Reservation {
 public:
  Admitted(Admission& admission, Admission::Load load, PeerId peer = kNoPeer)
      : Reservation(admission, peer) {
    EXPECT_FALSE(Grow(load.bytes, load.streams));
  }
};

v1::Reason ReasonOf(const std::optional<Error>& error) {
  return error ? error->reason : v1::REASON_UNSPECIFIED;
}

TEST(AdmissionTest, WhatDoesNotFitNowIsToldToRetry) {
  Admission admission({1000});
  const Admitted first(admission, {600});
  EXPECT_FALSE(Refused(admission, {400}));
  const auto error = Refused(admission, {401});
  ASSERT_EQ(ReasonOf(error), v1::OVERLOADED);
  EXPECT_TRUE(error->retry_after);
  EXPECT_THAT(error->metadata, Contains(Pair("limit", "1000")));
  EXPECT_THAT(error->metadata, Contains(Pair("setting", "max-inflight-bytes")));
}

TEST(AdmissionTest, WhatNeverFitsIsNotToldToRetry) {
  Admission admission({1000});
  for (const std::int64_t bytes : {std::int64_t{1001}, kHuge}) {
    const auto error = Refused(admission, {bytes});
    ASSERT_EQ(ReasonOf(error), v1::REQUEST_TOO_LARGE);
    EXPECT_FALSE(error->retry_after);
  }
  // With what the call holds already.
  const Admitted own(admission, {300});
  EXPECT_FALSE(Refused(admission, {700}, kNoPeer, &own));
  EXPECT_EQ(ReasonOf(Refused(admission, {701}, kNoPeer, &own)),
            v1::REQUEST_TOO_LARGE);
}

TEST(AdmissionTest, OnePeerHoldsAtMostHalf) {
  Admission admission({1000, 8});
  const Admitted held(admission, {400, 4}, 1);
  EXPECT_FALSE(Refused(admission, {100}, 1));
  EXPECT_EQ(ReasonOf(Refused(admission, {101}, 1)), v1::OVERLOADED);
  EXPECT_EQ(ReasonOf(Refused(admission, {.streams = 1}, 1)), v1::OVERLOADED);
  const auto error = Refused(admission, {501}, 1);
  ASSERT_EQ(ReasonOf(error), v1::REQUEST_TOO_LARGE);
  EXPECT_THAT(error->metadata, Contains(Pair("limit", "500")));
  // Others find the rest.
  EXPECT_FALSE(Refused(admission, {500, 4}, 2));
}

TEST(AdmissionTest, WithoutAPeerAllMayBeHeld) {
  Admission admission({1000, 8});
  EXPECT_FALSE(Refused(admission, {1000, 8}));
}

TEST(AdmissionTest, StreamsAreCountedBesideTheirBytes) {
  Admission admission({1000, 2});
  const Admitted first(admission, {.streams = 1});
  {
    const Admitted second(admission, {.streams = 1});
    const auto error = Refused(admission, {1, 1});
    ASSERT_EQ(ReasonOf(error), v1::OVERLOADED);
    EXPECT_THAT(error->metadata,
                Contains(Pair("setting", "max-inflight-streams")));
    // The refusal keeps nothing, and streams take no bytes.
    EXPECT_FALSE(Refused(admission, {1000}));
  }
  EXPECT_FALSE(Refused(admission, {.streams = 1}));
}

TEST(AdmissionTest, WhatAReservationHoldsIsGivenBackOnce) {
  Admission admission({1000, 2});
  {
    Admitted held(admission, {300, 1}, 1);
    EXPECT_FALSE(held.Grow(200));
    EXPECT_EQ(ReasonOf(held.Grow(1)), v1::REQUEST_TOO_LARGE);
    held.ShrinkTo(400);
    EXPECT_EQ(admission.held(), Admission::Load({400, 1}));
    EXPECT_EQ(ReasonOf(Refused(admission, {101}, 1)), v1::OVERLOADED);
    held.GiveBack();
    EXPECT_EQ(admission.held(), Admission::Load());
  }
  EXPECT_EQ(admission.held(), Admission::Load());
}

TEST(AdmissionTest, NeverMoreThanTheLimitUnderContention) {
  Admission admission({100});
  std::atomic<bool> exceeded{false};
  std::vector<std::thread> threads;
  for (PeerId peer = 1; peer <= 4; ++peer) {
    threads.emplace_back([&admission, &exceeded, peer] {
      for (int k = 0; k < 20'000; ++k) {
        Reservation held(admission, peer);
        held.Grow(30);
        if (admission.bytes() > 100) exceeded = true;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(exceeded);
  EXPECT_EQ(admission.held(), Admission::Load());
}

}  // namespace
}  // namespace torqued::server

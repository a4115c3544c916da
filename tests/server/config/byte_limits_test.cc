#include "server/config/byte_limits.h"

#include <gtest/gtest.h>

#include <limits>

namespace torqued::server {
namespace {

constexpr std::int64_t kMebibyte = 1 << 20;
constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

Settings SharesOf(std::int64_t bytes) {
  Settings settings;
  SetShares({bytes, "RAM"}, &settings);
  return settings;
}

TEST(ByteLimits, HalfOfTheMemoryIsLeftToGrpcAndTheAllocator) {
  for (std::int64_t memory = 64 * kMebibyte; memory < kLargest / 3;
       memory += memory / 3) {
    EXPECT_LE(SharesOf(memory).max_inflight_bytes, memory / 2) << memory;
  }
}

TEST(ByteLimits, ALargestMessageFitsBesideItsReply) {
  for (std::int64_t memory = 64 * kMebibyte; memory < 1 << 30;
       memory += memory / 3) {
    const Settings settings = SharesOf(memory);
    // In the half of one client: a request once parsed, a reply and its
    // serialized form.
    EXPECT_LE(5 * settings.max_message_bytes, settings.max_inflight_bytes / 2);
    EXPECT_GE(ArrivalBytes(settings),
              settings.max_inflight_bytes + 4 * settings.max_message_bytes);
  }
}

TEST(ByteLimits, LargeMachinesHaveTheDefaultsOfSettings) {
  const Settings settings = SharesOf(64LL << 30), defaults;
  EXPECT_EQ(settings.max_message_bytes, defaults.max_message_bytes);
  EXPECT_EQ(settings.max_inflight_bytes, defaults.max_inflight_bytes);
}

TEST(ByteLimits, WhatArrivesHasRoomForWorkAndForLargeMessages) {
  Settings settings;
  settings.max_inflight_bytes = 1;
  settings.max_message_bytes = 100 * kMebibyte;
  EXPECT_EQ(ArrivalBytes(settings), 464 * kMebibyte + 1);
  settings.memory.bytes = 80 * kMebibyte;
  EXPECT_EQ(ArrivalBytes(settings), 410 * kMebibyte + 1);
}

TEST(ByteLimits, AreTheLargestNumberWhereWorkUnderWayHasNoLimit) {
  Settings settings;
  settings.max_inflight_bytes = kLargest;
  EXPECT_EQ(ArrivalBytes(settings), kLargest);
}

}  // namespace
}  // namespace torqued::server

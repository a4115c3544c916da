#include "server/config/byte_limits.h"

#include <gtest/gtest.h>

#include <limits>

#include "core/batch/chunk_scheduler.h"
#include "core/batch/row_workspace.h"

namespace torqued::server {
namespace {

constexpr std::int64_t kMebibyte = 1 << 20;
constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

Settings SharesOf(std::int64_t bytes) {
  Settings settings;
  settings.threads = 8;
  SetShares({bytes, "RAM"}, &settings);
  return settings;
}

TEST(ByteLimits, SharesTogetherAreLessThanTheMemory) {
  // Down to where the server itself and the least limits take most of it.
  for (std::int64_t memory = 300 * kMebibyte; memory < kLargest / 3;
       memory += memory / 3) {
    const Settings settings = SharesOf(memory);
    EXPECT_LE(HeldBytes(settings), memory) << memory;
    // Nor is there little of it in use.
    EXPECT_GE(HeldBytes(settings), std::min(memory / 2, 2048 * kMebibyte))
        << memory;
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
  EXPECT_EQ(HeldBytes(settings), kLargest);
}

TEST(ByteLimits, EachThreadKeepsMemoryToComputeWith) {
  Settings settings = SharesOf(1 << 30);
  const std::int64_t before = HeldBytes(settings);
  settings.threads += 2;
  EXPECT_EQ(HeldBytes(settings), before + 3 * kMebibyte);
}

TEST(ByteLimits, CountAWorkspaceForEachSlotAndForAsManyCallersAsThreads) {
  for (const int threads : {1, 3}) {
    const ChunkScheduler pool(threads);
    Settings settings = SharesOf(1 << 30);
    settings.threads = threads;
    EXPECT_EQ(WorkspaceBytes(settings),
              (pool.slots() + threads) * RowWorkspace::kMostKept);
  }
}

TEST(ByteLimits, MoreOfASettingIsMoreThatIsHeld) {
  Settings settings = SharesOf(1 << 30);
  const std::int64_t before = HeldBytes(settings);
  settings.max_inflight_bytes += 1000;
  // It arrives and is under way.
  const std::int64_t more = 2 * 1000;
  EXPECT_EQ(HeldBytes(settings), before + more);
  settings.max_message_bytes += 1000;
  EXPECT_EQ(HeldBytes(settings), before + more + 4 * 1000);
}

}  // namespace
}  // namespace torqued::server

#include "server/config/settings.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "tests/server/temp_dir.h"

namespace torqued::server {
namespace {

constexpr std::int64_t kMebibyte = 1 << 20;
constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

/// Files as the system has them for a process.
class MemoryLimitTest : public ::testing::Test {
 protected:
  void Write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = directory_.File(path);
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text << "\n";
  }

  MemoryLimit Limit() {
    return FindMemoryLimit({directory_.File("list"), directory_.File(".")});
  }

 private:
  TempDir directory_;
};

TEST_F(MemoryLimitTest, IsTheMachinesMemoryWhereNothingElseIsSaid) {
  const MemoryLimit limit = Limit();
  EXPECT_EQ(limit.source, "RAM");
  EXPECT_EQ(limit.bytes,
            std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE));
}

TEST_F(MemoryLimitTest, OfVersion2IsTheLeastOfTheGroupAndThoseAbove) {
  Write("list", "0::/a/b");
  Write("a/b/memory.max", "max");
  Write("a/b/memory.high", "max");
  EXPECT_EQ(Limit().source, "RAM");
  Write("a/memory.max", "600000000");
  EXPECT_EQ(Limit().bytes, 600'000'000);
  EXPECT_EQ(Limit().source, "cgroup");
  Write("a/b/memory.max", "500000000");
  EXPECT_EQ(Limit().bytes, 500'000'000);
  Write("a/b/memory.high", "400000000");
  EXPECT_EQ(Limit().bytes, 400'000'000);
}

TEST_F(MemoryLimitTest, OfVersion1IsTheLeastOfTheGroupAndThoseAbove) {
  Write("list", "5:cpu:/x\n4:cpuset,memory:/a/b\n0::/");
  Write("memory/a/b/memory.limit_in_bytes", "9223372036854771712");
  EXPECT_EQ(Limit().source, "RAM");
  Write("memory/a/b/memory.limit_in_bytes", "700000000");
  EXPECT_EQ(Limit().bytes, 700'000'000);
  Write("memory/memory.limit_in_bytes", "300000000");
  EXPECT_EQ(Limit().bytes, 300'000'000);
  Write("memory/x/memory.limit_in_bytes", "1000000");  // of another controller
  EXPECT_EQ(Limit().bytes, 300'000'000);
}

TEST_F(MemoryLimitTest, OfAContainerIsThatOfTheRootItSees) {
  Write("list", "0::/system.slice/docker-abc.scope");
  Write("memory.max", "600000000");
  EXPECT_EQ(Limit().bytes, 600'000'000);
}

TEST_F(MemoryLimitTest, OfVersion2BesideVersion1IsFound) {
  Write("list", "4:cpu:/\n0::/a");
  Write("unified/a/memory.max", "600000000");
  EXPECT_EQ(Limit().bytes, 600'000'000);
}

TEST_F(MemoryLimitTest, WhatIsNoNumberIsNoLimit) {
  for (const std::string text : {"", "-1", "0", "none", "max"}) {
    Write("list", "0::/");
    Write("memory.max", text);
    EXPECT_EQ(Limit().source, "RAM") << text;
  }
  Write("list", "nonsense\n:\n0::\n0::relative");
  EXPECT_EQ(Limit().source, "RAM");
}

Settings SharesOf(std::int64_t bytes) {
  return DefaultSettings({bytes, "RAM"});
}

TEST(Shares, HalfOfTheMemoryIsLeftToGrpcAndTheAllocator) {
  for (std::int64_t memory = 64 * kMebibyte; memory < kLargest / 3;
       memory += memory / 3) {
    EXPECT_LE(SharesOf(memory).max_inflight_bytes, memory / 2) << memory;
  }
}

TEST(Shares, ALargestMessageFitsBesideItsReply) {
  for (std::int64_t memory = 64 * kMebibyte; memory < 1 << 30;
       memory += memory / 3) {
    const Settings settings = SharesOf(memory);
    // In the half of one client: a parsed request, a reply in two forms.
    EXPECT_LE(5 * settings.max_message_bytes, settings.max_inflight_bytes / 2);
    EXPECT_GE(ArrivalBytes(settings),
              settings.max_inflight_bytes + 4 * settings.max_message_bytes);
  }
}

TEST(Shares, LargeMachinesHaveTheDefaultsOfSettings) {
  const Settings settings = SharesOf(64LL << 30), defaults;
  EXPECT_EQ(settings.max_message_bytes, defaults.max_message_bytes);
  EXPECT_EQ(settings.max_inflight_bytes, defaults.max_inflight_bytes);
}

TEST(Shares, WhatArrivesHasRoomForWorkAndForLargeMessages) {
  Settings settings;
  settings.max_inflight_bytes = 1;
  settings.max_message_bytes = 100 * kMebibyte;
  EXPECT_EQ(ArrivalBytes(settings), 464 * kMebibyte + 1);
  settings.memory.bytes = 80 * kMebibyte;
  EXPECT_EQ(ArrivalBytes(settings), 410 * kMebibyte + 1);
}

TEST(Shares, AreTheLargestNumberWhereWorkUnderWayHasNoLimit) {
  Settings settings;
  settings.max_inflight_bytes = kLargest;
  EXPECT_EQ(ArrivalBytes(settings), kLargest);
}

}  // namespace
}  // namespace torqued::server

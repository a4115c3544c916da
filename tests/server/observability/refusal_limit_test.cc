#include "server/observability/refusal_limit.h"

#include <gtest/gtest.h>

namespace torqued::server {
namespace {

using std::chrono::seconds;
using Time = RefusalLimit::Clock::time_point;

constexpr std::int64_t kLines = RefusalLimit::kLines;

/// How many of so many refusals have a line.
std::int64_t Lines(RefusalLimit& limit, std::string_view reason,
                   std::string_view peer, std::int64_t count, Time now) {
  std::int64_t lines = 0;
  while (count-- > 0) lines += limit.Take(reason, peer, now) ? 1 : 0;
  return lines;
}

TEST(RefusalLimit, IsOfEachReasonAndEachPeer) {
  RefusalLimit limit;
  const Time now{};
  EXPECT_EQ(Lines(limit, "OVERLOADED", "a", 100, now), kLines);
  EXPECT_EQ(Lines(limit, "OVERLOADED", "b", 100, now), kLines);
  EXPECT_EQ(Lines(limit, "INVALID_FIELD", "a", 5, now), 5);
  EXPECT_EQ(Lines(limit, "OVERLOADED", "a", 100, now + seconds(5)), 0);
}

TEST(RefusalLimit, TellsOnceHowManyHadNone) {
  RefusalLimit limit;
  const Time now{}, end = now + RefusalLimit::kTime;
  Lines(limit, "OVERLOADED", "a", 100, now);
  Lines(limit, "OVERLOADED", "b", kLines, now);
  EXPECT_TRUE(limit.TakeLeftOut(end - seconds(1)).empty());
  const auto told = limit.TakeLeftOut(end);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].reason, "OVERLOADED");
  EXPECT_EQ(told[0].peer, "a");
  EXPECT_EQ(told[0].count, 100 - kLines);
  EXPECT_TRUE(limit.TakeLeftOut(end).empty());
  EXPECT_EQ(limit.size(), 0u);
}

TEST(RefusalLimit, BeginsAnewBehindItsTime) {
  RefusalLimit limit;
  const Time now{}, end = now + RefusalLimit::kTime;
  Lines(limit, "OVERLOADED", "a", kLines, now);
  EXPECT_EQ(Lines(limit, "OVERLOADED", "a", kLines, end), kLines);
  // Not while it has something to tell.
  EXPECT_EQ(Lines(limit, "OVERLOADED", "a", 1, end), 0);
  EXPECT_EQ(Lines(limit, "OVERLOADED", "a", 1, end + RefusalLimit::kTime), 0);
  EXPECT_EQ(limit.TakeLeftOut(end + RefusalLimit::kTime).at(0).count, 2);
  EXPECT_EQ(Lines(limit, "OVERLOADED", "a", 1, end + RefusalLimit::kTime), 1);
}

TEST(RefusalLimit, HasNoMoreMemoryForMorePeers) {
  RefusalLimit limit;
  const Time now{};
  constexpr int kPeers = 20'000;
  const std::string long_name(10'000, 'x');
  std::int64_t lines = 0;
  for (int peer = 0; peer < kPeers; ++peer) {
    lines +=
        Lines(limit, "OVERLOADED", std::to_string(peer) + long_name, 1, now);
  }
  EXPECT_EQ(limit.size(), RefusalLimit::kMaxCounts + 1);
  EXPECT_EQ(lines, std::int64_t{RefusalLimit::kMaxCounts} + kLines);
  const auto told = limit.TakeLeftOut(now + RefusalLimit::kTime);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].peer, RefusalLimit::kOtherPeers);
  EXPECT_EQ(told[0].count, kPeers - lines);
}

TEST(HostOf, LeavesThePortOut) {
  EXPECT_EQ(HostOf("ipv4:127.0.0.1:52345"), "ipv4:127.0.0.1");
  EXPECT_EQ(HostOf("ipv6:%5B::1%5D:52345"), "ipv6:%5B::1%5D");
  EXPECT_EQ(HostOf("127.0.0.1:52345"), "127.0.0.1");
  EXPECT_EQ(HostOf("[::1]:52345"), "[::1]");
  EXPECT_EQ(HostOf("unix:uid=1000"), "unix:uid=1000");
  EXPECT_EQ(HostOf("unix:"), "unix:");
  EXPECT_EQ(HostOf("unix:/run/x:1"), "unix:/run/x:1");
  EXPECT_EQ(HostOf("ipv4:"), "ipv4:");
  EXPECT_EQ(HostOf(""), "");
}

}  // namespace
}  // namespace torqued::server

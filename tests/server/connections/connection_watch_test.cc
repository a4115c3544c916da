#include "server/connections/connection_watch.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace torqued::server {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

struct ConnectionWatchTest : testing::Test {
  ConnectionWatch::Limits limits;
  ConnectionWatch watch{&limits};
  ConnectionReading now;

  std::optional<Flood> Look() { return watch.Look(now); }

  // What a connection does.
  void Call(std::int64_t count = 1) {
    now.begun += count;
    now.called += count;
  }
  void Answer(std::int64_t count = 1) {
    now.messages += count;
    now.ended += count;
  }
  /// Looks while so many bytes come.
  std::optional<Flood> Receive(std::int64_t bytes) {
    for (std::int64_t left = bytes; left > 0; left -= kMiB / 4) {
      now.bytes += std::min(left, kMiB / 4);
      if (const auto flood = Look()) return flood;
    }
    return std::nullopt;
  }
};

TEST_F(ConnectionWatchTest, LeavesManyShortCallsAlone) {
  for (int i = 0; i < 1000; ++i) {
    Call(200);
    now.bytes += 100'000;
    EXPECT_EQ(Look(), std::nullopt);
    Answer(200);
    EXPECT_EQ(Look(), std::nullopt);
  }
}

TEST_F(ConnectionWatchTest, LeavesAsManyOpenStreamsAsAreAllowedAlone) {
  Call(limits.streams);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(Look(), std::nullopt);
}

TEST_F(ConnectionWatchTest, EndsMoreOpenStreamsThatStay) {
  Call(limits.streams + 1);
  for (int i = 0; i <= limits.looks - 1; ++i) {
    ASSERT_EQ(Look(), std::nullopt) << i;
  }
  EXPECT_EQ(Look(), Flood::kStreams);
}

TEST_F(ConnectionWatchTest, LeavesMoreStreamsAloneWhoseEndIsCountedLate) {
  Call(3 * limits.streams);
  for (int i = 0; i < 1000; ++i) {
    Call();
    Answer();
    for (int late = 0; late < limits.looks; ++late) {
      ASSERT_EQ(Look(), std::nullopt);
    }
  }
}

TEST_F(ConnectionWatchTest, EndsManyTimesAsManyOpenStreams) {
  Call(limits.streams * limits.streams_times + 1);
  EXPECT_EQ(Look(), Flood::kStreams);
}

TEST_F(ConnectionWatchTest, LeavesALargestMessageAlone) {
  Call();
  EXPECT_EQ(Receive(limits.message_bytes), std::nullopt);
  now.messages += 1;
  EXPECT_EQ(Receive(limits.message_bytes), std::nullopt);
}

TEST_F(ConnectionWatchTest, LeavesWhatComesAfterTheEndOfACallAlone) {
  Call();
  EXPECT_EQ(Receive(kMiB), std::nullopt);
  now.ended += 1;
  EXPECT_EQ(Receive(limits.window_bytes), std::nullopt);
}

TEST_F(ConnectionWatchTest, EndsFramesThatAreOfNoCall) {
  EXPECT_EQ(Receive(2 * limits.window_bytes), Flood::kFrames);
}

TEST_F(ConnectionWatchTest, EndsFramesBesideACallThatIsNeverWhole) {
  Call();
  EXPECT_EQ(Receive(limits.message_bytes + limits.window_bytes + kMiB),
            Flood::kFrames);
}

TEST_F(ConnectionWatchTest, TakesNoFramesForIdleWhereBytesAreAGuess) {
  now.exact_bytes = false;
  EXPECT_EQ(Receive(1000 * kMiB), std::nullopt);
}

TEST_F(ConnectionWatchTest, EndsHeadersThatDoNotEnd) {
  Call(3);
  EXPECT_EQ(Look(), std::nullopt);
  now.begun += 1;
  EXPECT_EQ(Look(), std::nullopt);
  EXPECT_EQ(Receive(limits.header_bytes), std::nullopt);
  EXPECT_EQ(Receive(1), Flood::kHeaders);
}

TEST_F(ConnectionWatchTest, EndsHeadersThatDoNotEndOnAUnixSocketToo) {
  now.exact_bytes = false;
  now.begun = 1;
  EXPECT_EQ(Receive(kMiB), Flood::kHeaders);
}

TEST_F(ConnectionWatchTest, KnowsHeadersThatWereRefusedBeforeOthersCame) {
  Call(5);
  Look();
  now.begun += 1;  // refused by gRPC itself
  Look();
  Call();
  EXPECT_EQ(Receive(limits.message_bytes), std::nullopt);
}

TEST_F(ConnectionWatchTest, EndsHeadersAfterSomeThatWereRefused) {
  now.begun += 3;  // two are refused, the third does not end
  Look();
  EXPECT_EQ(Receive(kMiB), Flood::kHeaders);
}

TEST_F(ConnectionWatchTest, LeavesAMessageAloneThatComesWhileOthersAreDone) {
  Call(2);
  now.begun += 1;  // refused by gRPC itself
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(Receive(kMiB / 4), std::nullopt);
    now.messages += 1;
  }
}

TEST_F(ConnectionWatchTest, EndsWhatIsNoMessageYetWhileMemoryGrows) {
  Call();
  Look();
  now.bytes += limits.header_bytes + 1;
  now.arriving = limits.header_bytes + 1;
  now.memory += limits.memory + limits.copies * now.arriving;
  EXPECT_EQ(Look(), std::nullopt);
  now.memory += 1;
  EXPECT_EQ(Look(), Flood::kMemory);
}

TEST_F(ConnectionWatchTest, ComparesMemoryWithTheLeastSinceSomethingWasDone) {
  now.memory = 10 * limits.memory;
  Call();
  Look();
  now.memory = 0;
  Look();
  now.bytes += limits.header_bytes + 1;
  now.memory = limits.memory + 1;
  EXPECT_EQ(Look(), Flood::kMemory);
}

TEST_F(ConnectionWatchTest, BlamesNobodyForMemoryThatCallsAccountedFor) {
  Call();
  Look();
  now.bytes += limits.header_bytes + 1;
  now.accounted = 2 * limits.memory;
  Look();
  now.accounted = 0;  // the allocator keeps it
  now.memory = 2 * limits.memory;
  EXPECT_EQ(Look(), std::nullopt);
}

TEST_F(ConnectionWatchTest, BlamesNobodyForMemoryOfWhatOthersSend) {
  Call();
  Look();
  now.bytes += limits.header_bytes + 1;
  now.arriving = 10 * limits.memory;
  now.memory = limits.copies * now.arriving;
  EXPECT_EQ(Look(), std::nullopt);
}

TEST_F(ConnectionWatchTest, BlamesNobodyForMemoryWhoseMessagesAreDone) {
  Call();
  for (int i = 0; i < 100; ++i) {
    now.memory += limits.memory;
    now.bytes += kMiB;
    now.messages += 1;
    EXPECT_EQ(Look(), std::nullopt);
  }
  now.memory += limits.memory;  // nothing has come since
  EXPECT_EQ(Look(), std::nullopt);
}

}  // namespace
}  // namespace torqued::server

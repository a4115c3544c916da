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
  ProcessReading process;

  std::optional<Flood> Look() {
    now.time += std::chrono::milliseconds(5);
    return watch.Look(now, process);
  }
  /// Until headers that are incomplete count.
  void Wait() { now.time += limits.header_time; }

  // What a connection does.
  void Call(std::int64_t count = 1) {
    now.begun += count;
    now.called += count;
  }
  void Answer(std::int64_t count = 1) {
    now.messages += count;
    now.ended += count;
    now.over += count;
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
  const auto end = now.time + limits.streams_time;
  while (now.time < end) ASSERT_EQ(Look(), std::nullopt);
  EXPECT_EQ(Look(), Flood::kStreams);
}

TEST_F(ConnectionWatchTest, LeavesMoreStreamsAloneWhoseEndIsCountedLate) {
  Call(3 * limits.streams);
  for (int i = 0; i < 100; ++i) {
    Call();
    Answer();
    const auto end = now.time + limits.streams_time;
    while (now.time < end) ASSERT_EQ(Look(), std::nullopt);
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

TEST_F(ConnectionWatchTest, LeavesLargestMessagesThatComeTogetherAlone) {
  for (const std::int64_t calls : {2, 4, 16}) {
    Call(calls);
    Look();
    EXPECT_EQ(Receive(calls * limits.message_bytes), std::nullopt) << calls;
    Answer(calls);
  }
}

TEST_F(ConnectionWatchTest, LeavesWhatComesAfterTheEndOfACallAlone) {
  Call();
  EXPECT_EQ(Receive(kMiB), std::nullopt);
  now.ended += 1;
  EXPECT_EQ(Receive(limits.window_bytes), std::nullopt);
}

TEST_F(ConnectionWatchTest, TakesAnEndThatIsCountedEarlyForNoFlood) {
  Call();
  Look();
  now.ended += 2;
  Look();
  now.bytes += 1;
  EXPECT_EQ(now.open(), 0);
  EXPECT_EQ(Look(), std::nullopt);
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
  Wait();
  EXPECT_EQ(Receive(limits.header_bytes), std::nullopt);
  EXPECT_EQ(Receive(1), Flood::kHeaders);
}

TEST_F(ConnectionWatchTest, EndsHeadersThatDoNotEndOnAUnixSocketToo) {
  now.exact_bytes = false;
  now.begun = 1;
  Look();
  Wait();
  EXPECT_EQ(Receive(kMiB), Flood::kHeaders);
}

TEST_F(ConnectionWatchTest, LeavesNoTimeToHeadersThatTakeMemory) {
  now.begun = 1;
  Look();
  now.bytes += limits.header_bytes + 1;
  process.memory += limits.header_memory;
  EXPECT_EQ(Look(), std::nullopt);
  process.memory += 1;
  EXPECT_EQ(Look(), Flood::kHeaders);
}

TEST_F(ConnectionWatchTest, LeavesTimeToShowHeaders) {
  Look();
  now.begun = 1;
  EXPECT_EQ(Receive(kMiB), std::nullopt);
  now.called = 1;
  EXPECT_EQ(Receive(kMiB), std::nullopt);
  Wait();
  EXPECT_EQ(Receive(kMiB), std::nullopt);
}

TEST_F(ConnectionWatchTest, KnowsHeadersThatWereRefusedBeforeOthersCame) {
  Call(5);
  Look();
  now.begun += 1;  // refused by gRPC itself
  Look();
  Call();
  Look();
  Wait();
  EXPECT_EQ(Receive(limits.message_bytes), std::nullopt);
}

TEST_F(ConnectionWatchTest, LeavesAMessageAloneAfterHeadersThatWereRefused) {
  Call();
  Look();
  now.begun += 1;  // refused by gRPC itself
  now.ended += 1;
  Look();
  Wait();
  for (int i = 0; i < 60; ++i) {
    EXPECT_EQ(Receive(kMiB), std::nullopt);
    now.sent += 13;  // windows
  }
}

TEST_F(ConnectionWatchTest, EndsHeadersThatDoNotEndBesideAnOpenCall) {
  Call(2);
  Look();
  now.begun += 1;
  now.ended += 1;  // left by its client, or it is the one that is incomplete
  Look();
  Wait();
  EXPECT_EQ(Receive(limits.unanswered_bytes), std::nullopt);
  EXPECT_EQ(Receive(kMiB), Flood::kHeaders);
}

TEST_F(ConnectionWatchTest, EndsHeadersAfterSomeThatWereRefused) {
  now.begun += 3;  // two are refused, the third does not end
  Look();
  Wait();
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

TEST_F(ConnectionWatchTest, TellsByHowMuchMemoryGrowsBeyondWhatExplainsIt) {
  process = {.memory = 50 * kMiB, .explained = 7 * kMiB};
  Call();
  Look();
  process = {.memory = 40 * kMiB, .explained = 9 * kMiB};
  Look();
  process = {.memory = 60 * kMiB, .explained = 0};  // the allocator keeps it
  now.bytes += 5;
  Look();
  EXPECT_EQ(watch.unanswered().bytes, 5);
  EXPECT_EQ(watch.unanswered().memory, (20 - 9) * kMiB);
  watch.Forgive(process);
  EXPECT_EQ(watch.unanswered().memory, 0);
  EXPECT_EQ(watch.unfinished().memory, 0);
}

TEST_F(ConnectionWatchTest, CountsAnewWithWhatTheServerSays) {
  Call();
  Look();
  Receive(kMiB);
  EXPECT_EQ(watch.unanswered().bytes, kMiB);
  now.sent += 1;
  Look();
  EXPECT_EQ(watch.unanswered().bytes, 0);
  EXPECT_EQ(watch.unfinished().bytes, kMiB);
  now.ended += 1;
  Look();
  EXPECT_EQ(watch.unfinished().bytes, kMiB);
  Call();
  Look();
  EXPECT_EQ(watch.unfinished().bytes, 0);
}

TEST_F(ConnectionWatchTest, CountsALittleOfWhatComesWithACall) {
  Look();
  Call();
  now.bytes += 10;
  Look();
  EXPECT_EQ(watch.unanswered().bytes, 10);
  EXPECT_EQ(watch.unfinished().bytes, 10);
  Call();
  now.bytes += kMiB;
  Look();
  EXPECT_EQ(watch.unfinished().bytes, limits.sudden_bytes);
  now.bytes += kMiB;
  Look();
  EXPECT_EQ(watch.unfinished().bytes, limits.sudden_bytes + kMiB);
}

TEST_F(ConnectionWatchTest, TakesNoBytesBackThatWereCounted) {
  now.bytes = 100 * kMiB;
  Call();
  Look();
  now.bytes = 0;
  EXPECT_EQ(watch.Pending(now), 0);
}

}  // namespace
}  // namespace torqued::server

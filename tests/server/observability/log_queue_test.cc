#include "server/observability/log_queue.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <sstream>
#include <thread>
#include <vector>

namespace torqued::server {
namespace {

using ::testing::ElementsAre;

constexpr std::chrono::seconds kLong{30};
constexpr std::size_t kQueueBytes = 4096;
constexpr int kPatience = 30'000;  // milliseconds

std::string Told(std::uint64_t count) {
  return std::to_string(count) + " dropped\n";
}

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// A pipe that holds 4 KiB.
class Pipe {
 public:
  Pipe() {
    EXPECT_EQ(pipe2(ends_.data(), O_CLOEXEC), 0);
    EXPECT_GE(fcntl(ends_[1], F_SETPIPE_SZ, 4096), 4096);
  }
  ~Pipe() {
    close(ends_[0]);
    close(ends_[1]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int end() const { return ends_[1]; }

  /// So that the next byte is one too many.
  void Fill() const {
    const std::string page(4096, 'x');
    EXPECT_EQ(write(ends_[1], page.data(), page.size()), 4096);
  }
  /// What comes until the text ends so, or nothing more comes.
  std::string ReadUntil(const std::string& last) const {
    std::string text;
    std::array<char, 1000> part;
    pollfd more{ends_[0], POLLIN, 0};
    while (!text.ends_with(last) && poll(&more, 1, kPatience) == 1) {
      const ssize_t size = read(ends_[0], part.data(), part.size());
      if (size <= 0) break;
      text.append(part.data(), static_cast<std::size_t>(size));
    }
    return text;
  }

 private:
  std::array<int, 2> ends_{};
};

TEST(LogQueue, WritesLinesInTheirOrder) {
  const Pipe pipe;
  LogQueue queue(pipe.end(), kQueueBytes, Told);
  queue.Put("one\n");
  queue.Put("two\n");
  EXPECT_TRUE(queue.WaitUntilWritten(kLong));
  queue.Put("three\n");
  EXPECT_THAT(LinesOf(pipe.ReadUntil("three\n")),
              ElementsAre("one", "two", "three"));
}

TEST(LogQueue, WaitsForNoReaderAndTellsWhatItDropped) {
  constexpr int kLines = 5000;
  const Pipe pipe;
  LogQueue queue(pipe.end(), kQueueBytes, Told);
  pipe.Fill();
  // Were one of them to wait, the test would not end.
  for (int k = 0; k < kLines; ++k) queue.Put(std::to_string(k) + " line\n");
  EXPECT_FALSE(queue.WaitUntilWritten(std::chrono::milliseconds(1)));

  // In order, without a gap but where one says how many are missing: mostly one
  // gap, two where the writer took lines between two of these.
  std::uint64_t line = 0;
  while (line < kLines) {
    const auto lines = LinesOf(pipe.ReadUntil("\n"));
    ASSERT_FALSE(lines.empty()) << line;
    for (const std::string& text : lines) {
      if (text.ends_with(" dropped")) {
        line += std::stoull(text);
      } else {
        EXPECT_EQ(text.substr(text.rfind('x') + 1),
                  std::to_string(line) + " line");
        ++line;
      }
    }
  }
  EXPECT_EQ(line, kLines);
  queue.Put("after\n");
  EXPECT_THAT(LinesOf(pipe.ReadUntil("after\n")), ElementsAre("after"));
}

TEST(LogQueue, ManyThreadsLoseNoLineThatIsNotTold) {
  constexpr int kThreads = 8, kLines = 2000;
  const Pipe pipe;
  std::string text;
  {
    LogQueue queue(pipe.end(), kQueueBytes, Told);
    const std::jthread all([&queue] {
      {
        std::vector<std::jthread> threads;
        threads.reserve(kThreads);
        for (int thread = 0; thread < kThreads; ++thread) {
          threads.emplace_back([&queue] {
            for (int k = 0; k < kLines; ++k) queue.Put("line\n");
          });
        }
      }
      while (!queue.WaitUntilWritten(kLong)) {
      }
      queue.Put("end\n");
    });
    text = pipe.ReadUntil("end\n");
  }
  std::uint64_t count = 0;
  for (const std::string& line : LinesOf(text)) {
    if (line == "end") continue;
    count += line == "line" ? 1 : std::stoull(line);
  }
  EXPECT_EQ(count, std::uint64_t{kThreads} * kLines);
}

TEST(LogQueue, EndsBesideAThreadThatIsStuck) {
  const Pipe pipe;
  {
    LogQueue queue(pipe.end(), kQueueBytes, Told);
    pipe.Fill();
    queue.Put("late\n");
  }
  // Which writes what it has as soon as it can.
  EXPECT_THAT(pipe.ReadUntil("late\n"), ::testing::EndsWith("late\n"));
}

TEST(LogQueue, ALineThatNeverFitsIsDropped) {
  const Pipe pipe;
  LogQueue queue(pipe.end(), kQueueBytes, Told);
  queue.Put(std::string(kQueueBytes, 'x') + "\n");
  queue.Put("next\n");
  EXPECT_THAT(LinesOf(pipe.ReadUntil("1 dropped\n")),
              ElementsAre("next", "1 dropped"));
}

TEST(LogQueue, WhatCannotBeWrittenIsToldOnceItCan) {
  const int descriptor = open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(descriptor, 0);
  LogQueue queue(descriptor, kQueueBytes, Told);
  for (int k = 0; k < 3; ++k) {
    queue.Put("lost\n");
    EXPECT_TRUE(queue.WaitUntilWritten(kLong));
  }
  const Pipe pipe;
  ASSERT_EQ(dup3(pipe.end(), descriptor, O_CLOEXEC), descriptor);
  queue.Put("next\n");
  EXPECT_THAT(LinesOf(pipe.ReadUntil("next\n")),
              ElementsAre("3 dropped", "next"));
  EXPECT_TRUE(queue.WaitUntilWritten(kLong));
  close(descriptor);
}

TEST(LogQueue, ADescriptorThatSomebodyMadeNonBlockingLosesNothing) {
  const Pipe pipe;
  LogQueue queue(pipe.end(), 1 << 20, Told);
  ASSERT_EQ(fcntl(pipe.end(), F_SETFL, O_NONBLOCK), 0);
  for (int k = 0; k < 2000; ++k) queue.Put("a line of some length\n");
  queue.Put("end\n");
  EXPECT_EQ(LinesOf(pipe.ReadUntil("end\n")).size(), 2001u);
}

}  // namespace
}  // namespace torqued::server

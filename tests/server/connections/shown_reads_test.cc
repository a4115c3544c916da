#include "server/connections/shown_reads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <memory>
#include <string>
#include <vector>

#include "tests/server/connections/frames.h"
#include "tests/server/connections/sockets.h"

namespace torqued::server {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Told final : public ConnectionObserver {
 public:
  void OnEndlessHeaders(const Connection& connection) override {
    ids.push_back(connection.id);
  }
  std::vector<ConnectionId> ids;
};

/// A connection over a Unix socket, whose end here is gRPC's.
class ShownReadsTest : public ::testing::Test {
 protected:
  ShownReadsTest() {
    std::array<int, 2> ends{};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
    client_ = std::make_unique<TestSocket>(ends[0]);
    server_ = std::make_unique<TestSocket>(ends[1]);
    duplicate_ = std::make_unique<TestSocket>(dup(ends[1]));
    slot_.observer = told_;
    slot_.connection.id = 7;
    slot_.connection.descriptor = duplicate_->descriptor();
    ShowReads(ends[1], &slot_);
  }
  ~ShownReadsTest() override {
    StopShowingReads(server_->descriptor(), &slot_);
  }

  /// What one call of it brings, in parts; errno where it fails.
  std::string Read(int* error) const {
    std::array<char, 100> first{};
    std::array<char, 4096> second{};
    std::array<iovec, 2> parts{
        {{first.data(), first.size()}, {second.data(), second.size()}}};
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = parts.size();
    const ssize_t count = recvmsg(server_->descriptor(), &message, 0);
    *error = count < 0 ? errno : 0;
    std::string all(first.begin(), first.end());
    all.append(second.data(), second.size());
    return all.substr(0, count < 0 ? 0 : static_cast<std::size_t>(count));
  }

  std::shared_ptr<Told> told_ = std::make_shared<Told>();
  ConnectionSlot slot_;
  std::unique_ptr<TestSocket> client_, server_, duplicate_;
};

TEST_F(ShownReadsTest, WhatPassesIsReadAsItWasSent) {
  const std::string sent = std::string(kPreface) +
                           frames::Headers(std::string(128, '\x82'), 0) +
                           frames::Frame(0, 0, std::string(3000, 'x'));
  ASSERT_TRUE(client_->Send(sent));
  int error = 0;
  EXPECT_EQ(Read(&error), sent);
  EXPECT_THAT(told_->ids, IsEmpty());
  client_->Close();
  EXPECT_EQ(Read(&error), "");
  EXPECT_EQ(error, 0);
}

TEST_F(ShownReadsTest, HeadersThatHoldTooMuchEndTheConnectionUnread) {
  ASSERT_TRUE(client_->Send(std::string(kPreface) +
                            frames::Headers(std::string(100, '\x82'), 0)));
  int error = 0;
  EXPECT_NE(Read(&error), "");
  ASSERT_TRUE(
      client_->Send(frames::Continuation(std::string(29, '\x82'), 0) + "more"));
  EXPECT_EQ(Read(&error), "");
  EXPECT_EQ(error, ECONNRESET);
  EXPECT_THAT(told_->ids, ElementsAre(7));
  EXPECT_TRUE(client_->HearsTheEnd());
}

TEST_F(ShownReadsTest, OfWhatIsAbortedNothingMoreIsRead) {
  ASSERT_TRUE(client_->Send(std::string(5000, 'x')));
  int error = 0;
  EXPECT_NE(Read(&error), "");
  slot_.aborted = 7;
  AbortSocket(duplicate_->descriptor());
  EXPECT_EQ(Read(&error), "");
  EXPECT_EQ(error, ECONNRESET);
  EXPECT_THAT(told_->ids, IsEmpty());
}

TEST_F(ShownReadsTest, TheNextConnectionOfTheSlotIsRead) {
  slot_.aborted = 6;
  ASSERT_TRUE(client_->Send("x"));
  int error = 0;
  EXPECT_EQ(Read(&error), "x");
}

TEST_F(ShownReadsTest, AnotherSocketOfTheSameNumberIsReadWhateverItSends) {
  std::array<int, 2> ends{};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  const TestSocket other(ends[0]);
  ASSERT_EQ(dup2(ends[1], server_->descriptor()), server_->descriptor());
  close(ends[1]);
  const std::string sent =
      std::string(kPreface) + frames::Headers(std::string(129, '\x82'), 0);
  ASSERT_TRUE(other.Send(sent));
  int error = 0;
  EXPECT_EQ(Read(&error), sent);
  EXPECT_THAT(told_->ids, IsEmpty());
  // Nor does a slot that stops take it from another.
  ConnectionSlot another;
  StopShowingReads(server_->descriptor(), &another);
  slot_.aborted = 7;
  ASSERT_EQ(dup2(duplicate_->descriptor(), server_->descriptor()),
            server_->descriptor());
  ASSERT_TRUE(client_->Send("x"));
  EXPECT_EQ(Read(&error), "");
  EXPECT_EQ(error, ECONNRESET);
}

}  // namespace
}  // namespace torqued::server

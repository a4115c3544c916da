// A listener that takes connections from listed proxies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "tests/server/connections/listener_fixture.h"

namespace torqued::server {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_F(ListenerTest, TheClientOfAListedProxyIsThePeer) {
  Serve({4, 1}, {"127.0.0.1:0"}, {"127.0.0.0/8"});
  const std::string first("\x0A\0\0\1", 4), second("\x0A\0\0\2", 4);
  const TestSocket one = TestSocket::Connected(address());
  // In pieces, and with bytes of the client right behind.
  const std::string header = Header(first, 700, std::string(40, 'x'));
  EXPECT_TRUE(one.Send(header.substr(0, 5)));
  EXPECT_FALSE(one.HearsSomething(20));
  EXPECT_TRUE(one.Send(header.substr(5, 20)));
  EXPECT_TRUE(one.Send(header.substr(25) + std::string(kPreface)));
  EXPECT_TRUE(one.HearsSomething());
  ASSERT_THAT(notes_->Opened(), SizeIs(1));
  EXPECT_EQ(notes_->Opened()[0].peer.Text(), "10.0.0.1:700");
  // The bound is the client's.
  const TestSocket again = TestSocket::Connected(address());
  EXPECT_TRUE(again.Send(Header(first, 701)));
  EXPECT_TRUE(again.HearsTheEnd());
  const TestSocket two = TestSocket::Connected(address());
  EXPECT_TRUE(two.Send(Header(second, 700)));
  EXPECT_TRUE(two.HearsSomething());
}

TEST_F(ListenerTest, CallsComeFromTheClientThatAProxyTellsOf) {
  Serve({4, 4}, {"127.0.0.1:0"}, {"127.0.0.1"});
  EXPECT_TRUE(CallAs(std::string("\x0A\0\0\1", 4), 700));
  EXPECT_EQ(naming_.peer(), "10.0.0.1:700");
}

TEST_F(ListenerTest, CallsOfOneHostHaveOneNumberAndNoOthers) {
  Serve({4, 4}, {"127.0.0.1:0"}, {"127.0.0.1"});
  const std::string first("\x0A\0\0\1", 4), second("\x0A\0\0\2", 4);
  EXPECT_TRUE(CallAs(first, 700));
  const std::uint64_t host = naming_.host();
  EXPECT_NE(host, 0U);
  EXPECT_TRUE(CallAs(second, 700));
  EXPECT_NE(naming_.host(), host);
  EXPECT_TRUE(CallAs(first, 701));
  EXPECT_EQ(naming_.host(), host);
}

TEST_F(ListenerTest, CallsThatComeWithoutAProxyComeFromWhereTheyCome) {
  Serve({4, 4});
  EXPECT_TRUE(Call(Channel(address())).get().status.ok());
  EXPECT_EQ(naming_.peer(), "ipv4:" + notes_->Opened().at(0).peer.Text());
}

TEST_F(ListenerTest, AListedProxyThatSpeaksForItselfIsThePeer) {
  Serve({4, 4}, {"127.0.0.1:0"}, {"127.0.0.1"});
  const TestSocket proxy = TestSocket::Connected(address());
  EXPECT_TRUE(
      proxy.Send(std::string_view("\r\n\r\n\0\r\nQUIT\n\x20\0\0\0", 16)));
  EXPECT_TRUE(proxy.HearsSomething());
  EXPECT_THAT(notes_->Opened().at(0).peer.Text(),
              ::testing::StartsWith("127.0.0.1:"));
}

TEST_F(ListenerTest, AListedProxyWithoutAHeaderIsHungUpOn) {
  Serve({4, 4}, {"127.0.0.1:0"}, {"127.0.0.1"});
  const TestSocket proxy = TestSocket::Connected(address());
  EXPECT_TRUE(proxy.Send(kPreface));
  EXPECT_TRUE(proxy.HearsTheEnd());
  EXPECT_TRUE(TurnedAway(1));
  EXPECT_TRUE(Until([this] { return connections_->count() == 0; }));
  EXPECT_THAT(notes_->Opened(), IsEmpty());
}

TEST_F(ListenerTest, AProxyThatSaysNothingIsHungUpOnInTime) {
  header_deadline_ = std::chrono::milliseconds(100);
  Serve({4, 4}, {"127.0.0.1:0"}, {"127.0.0.1"});
  const TestSocket silent = TestSocket::Connected(address());
  EXPECT_TRUE(silent.HearsTheEnd());
  EXPECT_TRUE(TurnedAway(1));
  EXPECT_TRUE(Until([this] { return connections_->count() == 0; }));
  EXPECT_THAT(notes_->Opened(), IsEmpty());
}

TEST_F(ListenerTest, ProxiesThatSayNothingKeepNobodyOut) {
  Serve({2, 2}, {"127.0.0.1:0"}, {"127.0.0.1"});
  const TestSocket first = TestSocket::Connected(address());
  ASSERT_TRUE(Until([this] { return connections_->count() == 1; }));
  const TestSocket second = TestSocket::Connected(address());
  ASSERT_TRUE(Until([this] { return connections_->count() == 2; }));
  const TestSocket third = TestSocket::Connected(address());
  EXPECT_TRUE(third.Send(Header(std::string("\x0A\0\0\1", 4), 700)));
  EXPECT_TRUE(third.HearsSomething());
  EXPECT_TRUE(first.HearsTheEnd());
  EXPECT_TRUE(TurnedAway(1));
  EXPECT_FALSE(second.HearsSomething(20));
}

TEST_F(ListenerTest, WhoIsTurnedAwayAnywayTakesNoPlaceFromAProxy) {
  Serve({2, 1}, {"127.0.0.1:0"}, {"127.0.0.1"});
  const TestSocket silent = TestSocket::Connected(address());
  ASSERT_TRUE(Until([this] { return connections_->count() == 1; }));
  const TestSocket other = TestSocket::Connected(address(), "127.0.0.2");
  EXPECT_TRUE(other.Send(kPreface));
  EXPECT_TRUE(other.HearsSomething());
  EXPECT_TRUE(TestSocket::Connected(address(), "127.0.0.2").HearsTheEnd());
  EXPECT_TRUE(TurnedAway(1));
  EXPECT_TRUE(silent.Send(Header(std::string("\x0A\0\0\1", 4), 700) +
                          std::string(kPreface)));
  EXPECT_TRUE(silent.HearsSomething());
}

TEST_F(ListenerTest, WhoIsNotListedIsNoProxy) {
  Serve({4, 4}, {"127.0.0.1:0"}, {"10.0.0.0/8"});
  const TestSocket liar = TestSocket::Connected(address());
  EXPECT_TRUE(liar.Send(Header(std::string("\x0A\0\0\1", 4), 700)));
  // gRPC hears it, and it is no HTTP/2.
  EXPECT_TRUE(liar.HearsTheEnd());
  EXPECT_THAT(notes_->Opened().at(0).peer.Text(),
              ::testing::StartsWith("127.0.0.1:"));
}

}  // namespace
}  // namespace torqued::server

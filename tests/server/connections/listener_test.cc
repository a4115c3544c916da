#include "server/connections/listener.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <filesystem>
#include <future>
#include <thread>
#include <vector>

#include "server/connections/header_meter.h"
#include "tests/server/connections/frames.h"
#include "tests/server/connections/listener_fixture.h"
#include "tests/support/sanitized.h"

namespace torqued::server {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_F(ListenerTest, EachCallKnowsItsConnection) {
  Serve({4, 4}, {"127.0.0.1:0", "unix:" + directory_.File("socket")});
  std::vector<ConnectionId> ids;
  for (const std::string& address : listener_->addresses()) {
    for (int i = 0; i < 2; ++i) {
      const auto channel = Channel(address);
      const Answer first = Call(channel).get(), second = Call(channel).get();
      ASSERT_TRUE(first.status.ok()) << first.status.error_message();
      EXPECT_EQ(first.id, second.id);
      EXPECT_EQ(notes_->Calls(first.id), 2);
      EXPECT_THAT(ids, ::testing::Not(::testing::Contains(first.id)));
      ids.push_back(first.id);
    }
  }
  EXPECT_THAT(ids, ::testing::Not(::testing::Contains(kNoConnection)));
  const std::vector<Connection> opened = notes_->Opened();
  ASSERT_THAT(opened, SizeIs(4));
  EXPECT_EQ(opened[0].peer.kind, PeerAddress::Kind::kIpv4);
  EXPECT_EQ(opened[3].peer, PeerAddress::Unix(getuid()));
}

TEST_F(ListenerTest, TheNextConnectionOfASlotIsAnotherOne) {
  Serve({1, 1}, {"127.0.0.1:0", "unix:" + directory_.File("socket")});
  const std::vector<std::string> addresses = listener_->addresses();
  ConnectionId before = kNoConnection;
  for (std::size_t i = 0; i < 20; ++i) {
    Answer answer = Call(Channel(addresses[i % 2])).get();
    ASSERT_TRUE(answer.status.ok()) << answer.status.error_message();
    EXPECT_EQ(SlotOf(answer.id), 0);
    EXPECT_NE(answer.id, before);
    before = answer.id;
    ASSERT_TRUE(Until([this] { return connections_->count() == 0; }));
  }
  EXPECT_THAT(notes_->Closed(), SizeIs(20));
}

TEST_F(ListenerTest, ASlotIsNotFreeWhileACallOfItsConnectionWorks) {
  Serve({1, 1});
  naming_.Hold();
  auto channel = Channel(address());
  Call answer(channel);
  ASSERT_TRUE(Until([this] { return naming_.waiting() == 1; }));
  // The client goes; its call does not know yet, or does not care.
  channel.reset();
  connections_->EndAll();
  EXPECT_FALSE(answer.get().status.ok());
  EXPECT_TRUE(TestSocket::Connected(address()).HearsTheEnd());
  EXPECT_EQ(connections_->count(), 1);
  EXPECT_THAT(notes_->Closed(), IsEmpty());
  naming_.LetGo();
  EXPECT_TRUE(Until([this] { return connections_->count() == 0; }));
  EXPECT_TRUE(Call(Channel(address())).get().status.ok());
}

TEST_F(ListenerTest, WhatTheObserverRefusesIsRefusedInItsWords) {
  Serve({2, 2});
  const auto channel = Channel(address());
  EXPECT_TRUE(Call(channel).get().status.ok());
  notes_->Answer({GRPC_STATUS_RESOURCE_EXHAUSTED, "too many calls"});
  const grpc::Status status = Call(channel).get().status;
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(status.error_message(), "too many calls");
  notes_->Answer({});
  EXPECT_TRUE(Call(channel).get().status.ok());
  EXPECT_THAT(notes_->Opened(), SizeIs(1));
  notes_->Answer({GRPC_STATUS_RESOURCE_EXHAUSTED, "too many calls", true});
  EXPECT_FALSE(Call(channel).get().status.ok());
  EXPECT_TRUE(Until([this] { return notes_->Closed().size() == 1; }));
}

TEST_F(ListenerTest, AConnectionThatIsEndedIsLostToItsClientAtOnce) {
  Serve({2, 2});
  naming_.Hold();
  Call answer(Channel(address()));
  ASSERT_TRUE(Until([this] { return naming_.waiting() == 1; }));
  connections_->End(notes_->Opened().front().id);
  EXPECT_EQ(answer.get().status.error_code(), grpc::StatusCode::UNAVAILABLE);
  // Before it said a word, too.
  const TestSocket silent = TestSocket::Connected(address());
  ASSERT_TRUE(Until([this] { return notes_->Opened().size() == 2; }));
  connections_->End(notes_->Opened().back().id);
  EXPECT_TRUE(silent.HearsTheEnd());
}

TEST_F(ListenerTest, HeadersThatHoldTooMuchEndTheirConnection) {
  const std::string path = directory_.File("socket");
  Serve({1, 1}, {"127.0.0.1:0", "unix:" + path});
  const std::string fields(HeaderMeter::kMostFields, '\x82');
  for (const bool over_tcp : {true, false}) {
    const TestSocket client = over_tcp ? TestSocket::Connected(address())
                                       : TestSocket::ConnectedToFile(path);
    ASSERT_TRUE(client.Send(kPreface));
    EXPECT_TRUE(client.HearsSomething());
    ASSERT_TRUE(client.Send(frames::Headers(fields, 0)));
    EXPECT_FALSE(client.HearsTheEnd(/*patience_ms=*/50));
    ASSERT_TRUE(client.Send(frames::Continuation("\x82", 0)));
    EXPECT_TRUE(client.HearsTheEnd());
    ASSERT_TRUE(Until([this] { return connections_->count() == 0; }));
  }
  EXPECT_THAT(notes_->Closed(), SizeIs(2));
  EXPECT_EQ(notes_->Endless(), notes_->Closed());
}

TEST_F(ListenerTest, BeyondTheirNumberConnectionsAreClosedAndCounted) {
  Serve({3, 2}, {"127.0.0.1:0", "unix:" + directory_.File("socket")});
  std::vector<TestSocket> taken;
  for (int i = 0; i < 2; ++i) {
    taken.push_back(TestSocket::Connected(address()));
    EXPECT_TRUE(taken.back().HearsSomething());
  }
  EXPECT_TRUE(TestSocket::Connected(address()).HearsTheEnd());
  EXPECT_TRUE(TurnedAway(1));
  // Another peer is no worse off.
  const auto unix_channel = Channel(listener_->addresses().back());
  EXPECT_TRUE(Call(unix_channel).get().status.ok());
  EXPECT_TRUE(TestSocket::Connected(address()).HearsTheEnd());
  EXPECT_TRUE(TurnedAway(2));
  taken.clear();
  ASSERT_TRUE(Until([this] { return connections_->count() == 1; }));
  EXPECT_TRUE(Call(Channel(address())).get().status.ok());
}

TEST_F(ListenerTest, APeerToBeWaryOfConnectsNowAndThen) {
  Serve({8, 8}, {"127.0.0.1:0", "unix:" + directory_.File("socket")});
  connections_->BeWaryOf(PeerAddress::Ipv4(
      std::array<std::uint8_t, 4>{127, 0, 0, 1}.data(), /*port=*/1));
  EXPECT_TRUE(TestSocket::Connected(address()).HearsTheEnd());
  EXPECT_TRUE(TurnedAway(1));
  // Nobody else notices.
  const auto unix_channel = Channel(listener_->addresses().back());
  EXPECT_TRUE(Call(unix_channel).get().status.ok());
  std::this_thread::sleep_for(Connections::kBetweenWary);
  const TestSocket first = TestSocket::Connected(address());
  const TestSocket next = TestSocket::Connected(address());
  EXPECT_TRUE(first.HearsSomething());
  EXPECT_TRUE(next.HearsTheEnd());
}

TEST_F(ListenerTest, WhatAClientHasNotTakenIsUnsent) {
  Serve({8, 8});
  const TestSocket client = TestSocket::Connected(address());
  EXPECT_TRUE(client.HearsSomething());
  EXPECT_TRUE(Until([this] { return !connections_->Unsent(); }));
  const int descriptor = notes_->Opened().at(0).descriptor;
  const std::string much(1 << 20, 'x');
  while (send(descriptor, much.data(), much.size(),
              MSG_DONTWAIT | MSG_NOSIGNAL) > 0) {
  }
  EXPECT_TRUE(connections_->Unsent());
  connections_->EndAll();
  EXPECT_TRUE(client.HearsTheEnd());
  EXPECT_TRUE(Until([this] { return !connections_->Unsent(); }));
}

TEST_F(ListenerTest, AFullDescriptorTableIsGotOver) {
#ifdef TORQUED_SANITIZED
  GTEST_SKIP() << "sanitizers take descriptors of their own";
#endif
  Serve({8, 8});
  ASSERT_TRUE(Call(Channel(address())).get().status.ok());
  ASSERT_TRUE(Until([this] { return connections_->count() == 0; }));
  std::vector<TestSocket> waiting, late;
  waiting.reserve(3);
  late.reserve(3);
  for (int i = 0; i < 3; ++i) {
    waiting.emplace_back(TestSocket::Connected(address()));
  }
  for (int i = 0; i < 3; ++i) {
    late.emplace_back(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  }
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none = before;
  none.rlim_cur = 3;
  ASSERT_TRUE(Until([this] { return connections_->count() == 3; }));
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  sockaddr_in in{};
  in.sin_family = AF_INET;
  in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  in.sin_port = htons(static_cast<std::uint16_t>(
      std::stoi(address().substr(address().rfind(':') + 1))));
  for (const TestSocket& socket : late) {
    EXPECT_EQ(connect(socket.descriptor(),
                      reinterpret_cast<const sockaddr*>(&in), sizeof(in)),
              0);
  }
  const bool told = Until([this] { return listener_->turned_away() > 0; });
  const auto silence = listener_->Probe(std::chrono::milliseconds(100));
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_TRUE(told);
  EXPECT_TRUE(silence);
  for (const TestSocket& socket : late) EXPECT_TRUE(socket.HearsSomething());
  EXPECT_FALSE(listener_->Probe(kPatience));
  EXPECT_TRUE(Call(Channel(address())).get().status.ok());
}

TEST_F(ListenerTest, AProbeTakesNoPlaceAndNeedsNone) {
  Serve({1, 1}, {"127.0.0.1:0", "0.0.0.0:0", "localhost:0",
                 "unix:" + directory_.File("socket")});
  const TestSocket only = TestSocket::Connected(address());
  EXPECT_TRUE(only.HearsSomething());
  for (int i = 0; i < 5; ++i) {
    const auto silence = listener_->Probe(kPatience);
    EXPECT_FALSE(silence) << silence->address << ": " << silence->detail;
  }
  EXPECT_EQ(listener_->turned_away(), 0);
  EXPECT_THAT(notes_->Opened(), SizeIs(1));
}

TEST_F(ListenerTest, AProbeOfAListenerThatDoesNotAcceptSaysWhere) {
  connections_ =
      std::make_unique<Connections>(Connections::Limits{1, 1}, notes_);
  auto opened = Listener::Open({{"127.0.0.1:0"}, {}}, *connections_);
  listener_ = std::get<std::unique_ptr<Listener>>(std::move(opened));
  // Not started: the system takes the connection, we do not.
  const auto silence = listener_->Probe(std::chrono::milliseconds(60));
  ASSERT_TRUE(silence);
  EXPECT_EQ(silence->address, address());
  EXPECT_EQ(silence->detail, "it does not take a connection");
}

TEST_F(ListenerTest, OnceClosedNobodyConnectsAndOpenConnectionsGoOn) {
  Serve({4, 4}, {"127.0.0.1:0", "unix:" + directory_.File("socket")});
  const auto channel = Channel(address());
  EXPECT_TRUE(Call(channel).get().status.ok());
  EXPECT_TRUE(std::filesystem::exists(directory_.File("socket")));
  listener_->Close();
  EXPECT_FALSE(TestSocket::Connected(address()).connected());
  EXPECT_FALSE(std::filesystem::exists(directory_.File("socket")));
  EXPECT_TRUE(Call(channel).get().status.ok());
  connections_->EndAll();
  EXPECT_TRUE(Until([this] { return connections_->count() == 0; }));
  EXPECT_EQ(Call(channel).get().status.error_code(),
            grpc::StatusCode::UNAVAILABLE);
}

TEST_F(ListenerTest, AllAddressesOfANameHaveOnePort) {
  Serve({4, 4}, {"localhost:0", "0.0.0.0:0"});
  const std::vector<std::string> addresses = listener_->addresses();
  ASSERT_THAT(addresses, SizeIs(2));
  EXPECT_THAT(addresses[0], ::testing::MatchesRegex("localhost:[1-9][0-9]*"));
  for (const std::string& address : addresses) {
    const std::string port = address.substr(address.rfind(':'));
    EXPECT_TRUE(Call(Channel("127.0.0.1" + port)).get().status.ok());
  }
  const int six = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in6 in6{};
  in6.sin6_family = AF_INET6;
  in6.sin6_addr = in6addr_loopback;
  const bool has_ipv6 =
      six >= 0 &&
      bind(six, reinterpret_cast<const sockaddr*>(&in6), sizeof(in6)) == 0;
  if (six >= 0) close(six);
  if (!has_ipv6) GTEST_SKIP() << "no IPv6 here";
  // A wildcard is one of both families.
  const std::string port = addresses[1].substr(addresses[1].rfind(':'));
  EXPECT_TRUE(Call(Channel("[::1]" + port)).get().status.ok());
}

TEST_F(ListenerTest, EndsRightAfterItIsClosed) {
  Connections none({1, 1}, notes_);
  for (int i = 0; i < 1000; ++i) {
    auto opened = Listener::Open({{"127.0.0.1:0"}, {}}, none);
    ASSERT_TRUE(std::holds_alternative<std::unique_ptr<Listener>>(opened));
    auto& listener = std::get<std::unique_ptr<Listener>>(opened);
    listener->Start();
    listener->Close();
  }
}

TEST_F(ListenerTest, APortThatIsTakenIsNotShared) {
  Serve({1, 1}, {"127.0.0.1:0"});
  const std::string port = address().substr(address().rfind(':'));
  Connections others({1, 1}, notes_);
  for (const std::string host : {"127.0.0.1", "localhost", "0.0.0.0"}) {
    const std::string taken = host + port;
    const auto opened = Listener::Open({{taken}, {}}, others);
    ASSERT_TRUE(std::holds_alternative<std::string>(opened)) << host;
    EXPECT_EQ(std::get<std::string>(opened),
              "cannot listen on " + taken + ": Address already in use");
  }
}

TEST_F(ListenerTest, AnAddressThatCannotBeIsToldWithTheReason) {
  Connections others({1, 1}, notes_);
  for (const auto& [address, why] : std::map<std::string, std::string>{
           {"192.0.2.1:0", "Cannot assign requested address"},
           {"nowhere.invalid:0", "not known"},
           {"unix:/nowhere/socket", "No such file or directory"}}) {
    const auto opened = Listener::Open({{address}, {}}, others);
    ASSERT_TRUE(std::holds_alternative<std::string>(opened)) << address;
    EXPECT_THAT(std::get<std::string>(opened),
                HasSubstr("cannot listen on " + address + ": "));
    EXPECT_THAT(std::get<std::string>(opened), HasSubstr(why));
  }
}

}  // namespace
}  // namespace torqued::server

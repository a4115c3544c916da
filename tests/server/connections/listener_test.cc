#include "server/connections/listener.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <grpcpp/create_channel_posix.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <future>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "server/connections/header_meter.h"
#include "tests/server/connections/frames.h"
#include "tests/server/connections/sockets.h"
#include "tests/server/temp_dir.h"
#include "tests/support/sanitized.h"

namespace torqued::server {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::chrono::seconds kPatience{30};

/// Waits for a state that comes by itself.
template <class Done>
bool Until(const Done& done) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!done()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

class Notes final : public ConnectionObserver {
 public:
  void OnOpen(const Connection& connection) override {
    const std::lock_guard lock(mutex_);
    opened.push_back(connection);
  }
  CallVerdict OnHeaders(const Connection& connection) override {
    const std::lock_guard lock(mutex_);
    ++calls[connection.id];
    return verdict;
  }
  void OnEndlessHeaders(const Connection& connection) override {
    const std::lock_guard lock(mutex_);
    endless.push_back(connection.id);
  }
  void OnClose(const Connection& connection) override {
    const std::lock_guard lock(mutex_);
    closed.push_back(connection.id);
  }

  std::vector<Connection> Opened() {
    const std::lock_guard lock(mutex_);
    return opened;
  }
  std::vector<ConnectionId> Closed() {
    const std::lock_guard lock(mutex_);
    return closed;
  }
  std::vector<ConnectionId> Endless() {
    const std::lock_guard lock(mutex_);
    return endless;
  }
  int Calls(ConnectionId id) {
    const std::lock_guard lock(mutex_);
    return calls[id];
  }
  void Answer(const CallVerdict& with) {
    const std::lock_guard lock(mutex_);
    verdict = with;
  }

 private:
  std::mutex mutex_;
  std::vector<Connection> opened;
  std::vector<ConnectionId> endless;
  std::vector<ConnectionId> closed;
  std::map<ConnectionId, int> calls;
  CallVerdict verdict;
};

/// Answers every call with the id of its connection, once the gate is open.
class Naming final : public grpc::CallbackGenericService {
 public:
  void Hold() { held_ = true; }
  void LetGo() {
    const std::lock_guard lock(mutex_);
    held_ = false;
    for (Reactor* reactor : waiting_) reactor->Answer();
    waiting_.clear();
  }
  std::size_t waiting() {
    const std::lock_guard lock(mutex_);
    return waiting_.size();
  }
  // Of the last call.

  std::string peer() {
    const std::lock_guard lock(mutex_);
    return peer_;
  }
  std::uint64_t host() {
    const std::lock_guard lock(mutex_);
    return host_;
  }

 private:
  class Reactor final : public grpc::ServerGenericBidiReactor {
   public:
    Reactor(Naming& service, ConnectionId id) : service_(service), id_(id) {
      StartRead(&request_);
    }
    void Answer() {
      const std::string text = std::to_string(id_);
      const grpc::Slice slice(text);
      reply_ = grpc::ByteBuffer(&slice, 1);
      StartWriteAndFinish(&reply_, {}, grpc::Status::OK);
    }

   private:
    void OnReadDone(bool /*ok*/) override {
      {
        const std::lock_guard lock(service_.mutex_);
        if (service_.held_) {
          service_.waiting_.push_back(this);
          return;
        }
      }
      Answer();
    }
    void OnDone() override { delete this; }

    Naming& service_;
    ConnectionId id_;
    grpc::ByteBuffer request_, reply_;
  };

  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override {
    const std::lock_guard lock(mutex_);
    peer_ = PeerOf(*context);
    host_ = HostNumberOf(*context);
    return new Reactor(*this, ConnectionOf(*context));
  }

  std::mutex mutex_;
  std::atomic<bool> held_ = false;
  std::deque<Reactor*> waiting_;
  std::string peer_;
  std::uint64_t host_ = 0;
};

/// A header of version 2 for a client at IPv4.
std::string Header(const std::string& source, std::uint16_t port,
                   const std::string& extensions = "") {
  std::string header("\r\n\r\n\0\r\nQUIT\n\x21\x11", 14);
  const std::size_t length = 12 + extensions.size();
  header += static_cast<char>(length >> 8);
  header += static_cast<char>(length & 0xFF);
  header += source + std::string("\x7F\0\0\1", 4);
  header += static_cast<char>(port >> 8);
  header += static_cast<char>(port & 0xFF);
  return header + std::string("\x1D\x0D", 2) + extensions;
}

/// A server of gRPC behind a listener.
class ListenerTest : public ::testing::Test {
 protected:
  ~ListenerTest() override {
    naming_.LetGo();
    listener_.reset();
    if (server_ != nullptr) server_->Shutdown(std::chrono::system_clock::now());
  }

  void Serve(const Connections::Limits& limits,
             const std::vector<std::string>& addresses = {"127.0.0.1:0"},
             const std::vector<std::string>& proxies = {}) {
    connections_ = std::make_unique<Connections>(limits, notes_);
    auto opened = Listener::Open(
        {addresses, std::get<AddressBlocks>(AddressBlocks::Parse(proxies)),
         header_deadline_},
        *connections_);
    ASSERT_TRUE(std::holds_alternative<std::unique_ptr<Listener>>(opened))
        << std::get<std::string>(opened);
    listener_ = std::get<std::unique_ptr<Listener>>(std::move(opened));
    grpc::ServerBuilder builder;
    connections_->RegisterWith(&builder);
    builder.RegisterCallbackGenericService(&naming_);
    server_ = builder.BuildAndStart();
    ASSERT_NE(server_, nullptr);
    listener_->Start();
  }

  /// A client may learn of it before it is counted.
  bool TurnedAway(std::int64_t count) const {
    return Until([&] { return listener_->turned_away() == count; });
  }

  std::string address() const { return listener_->addresses().front(); }

  static std::shared_ptr<grpc::Channel> Channel(const std::string& address) {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    return grpc::CreateCustomChannel(
        address, grpc::InsecureChannelCredentials(), arguments);
  }

  struct Answer {
    grpc::Status status;
    ConnectionId id = kNoConnection;
  };

  /// A call that is under way. It must not hold the last reference to its
  /// channel on a thread of gRPC, which could not end its own threads.
  class Call {
   public:
    explicit Call(std::shared_ptr<grpc::Channel> over)
        : stub_(std::move(over)) {
      const grpc::Slice nothing("");
      request_ = grpc::ByteBuffer(&nothing, 1);
      context_.set_deadline(std::chrono::system_clock::now() + kPatience);
      stub_.UnaryCall(&context_, "/name/name", grpc::StubOptions(), &request_,
                      &reply_, [this](grpc::Status status) {
                        status_.set_value(std::move(status));
                      });
    }

    Answer get() {
      Answer answer{status_.get_future().get()};
      std::vector<grpc::Slice> slices;
      if (answer.status.ok() && reply_.Dump(&slices).ok()) {
        std::string text;
        for (const grpc::Slice& slice : slices) {
          text.append(reinterpret_cast<const char*>(slice.begin()),
                      slice.size());
        }
        answer.id = std::stoull(text);
      }
      return answer;
    }

   private:
    grpc::GenericStub stub_;
    grpc::ClientContext context_;
    grpc::ByteBuffer request_, reply_;
    std::promise<grpc::Status> status_;
  };

  /// Over a connection of its own, of a client that a proxy tells of.
  bool CallAs(const std::string& source, std::uint16_t port) {
    TestSocket socket = TestSocket::Connected(address());
    if (!socket.Send(Header(source, port))) return false;
    const int flags = fcntl(socket.descriptor(), F_GETFL);
    fcntl(socket.descriptor(), F_SETFL, flags | O_NONBLOCK);
    return Call(grpc::CreateInsecureChannelFromFd("", socket.Release()))
        .get()
        .status.ok();
  }

  std::chrono::milliseconds header_deadline_{kPatience};
  TempDir directory_;
  std::shared_ptr<Notes> notes_ = std::make_shared<Notes>();
  Naming naming_;
  std::unique_ptr<Connections> connections_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<Listener> listener_;
};

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
  EXPECT_TRUE(TestSocket::Connected(address()).HearsSomething());
  EXPECT_TRUE(TestSocket::Connected(address()).HearsTheEnd());
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

// --- Proxies -----------------------------------------------------------------

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

// A listener before a server of gRPC that names the connections of its calls.
#pragma once

#include <fcntl.h>
#include <grpcpp/create_channel_posix.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <future>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "server/connections/listener.h"
#include "tests/server/connections/sockets.h"
#include "tests/server/temp_dir.h"

namespace torqued::server {

inline constexpr std::chrono::seconds kPatience{30};

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
inline std::string Header(const std::string& source, std::uint16_t port,
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

}  // namespace torqued::server

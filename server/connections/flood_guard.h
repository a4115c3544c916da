// Ends connections that take from the server and never let it answer.
#pragma once

#include <grpcpp/server.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "server/connections/call_budget.h"
#include "server/connections/channelz_sockets.h"
#include "server/connections/connection.h"
#include "server/connections/connection_watch.h"
#include "server/connections/connections.h"
#include "server/services/call_gate.h"

namespace torqued::server {

/// Refuses calls at their headers where a connection leaves too many without an
/// answer, and looks at all connections some twenty times a second for what no
/// call shows. After a flood the memory that it took is given back to the
/// system. Thread-safe.
class FloodGuard final : public ConnectionObserver, public CallGate::Observer {
 public:
  struct Limits {
    CallBudget::Limits call;
    /// Of all connections together.
    std::int64_t all_calls = 4096;
    std::int64_t all_calls_per_second = 4000;
    ConnectionWatch::Limits watch;
  };

  /// `places`: of the connections.
  FloodGuard(const Limits& limits, std::size_t places);
  ~FloodGuard() override;
  FloodGuard(const FloodGuard&) = delete;
  FloodGuard& operator=(const FloodGuard&) = delete;

  /// Begins to watch, once the server is built. `accounted`: bytes that the
  /// calls under way account for.
  void Watch(Connections* connections, std::function<std::int64_t()> accounted);
  /// Before the connections go. Once.
  void Stop();

  // Of a call that a service has begun to handle; any thread.

  void OnCall(ConnectionId id) override;
  void OnEnd(ConnectionId id, bool answered) override;

  void OnOpen(const Connection& connection) override;
  CallVerdict OnHeaders(const Connection& connection) override;
  void OnClose(const Connection& connection) override;

 private:
  /// What is known of the connection in a place.
  struct Place {
    explicit Place(const Limits& limits)
        : budget(limits.call), watch(&limits.watch) {}

    std::atomic<ConnectionId> id{kNoConnection};
    CallBudget budget;
    std::atomic<std::int64_t> called{0};   // headers were complete
    std::atomic<std::int64_t> handled{0};  // of these, by a service
    std::atomic<bool> flooded{false};
    // Of the thread that watches, from here on.
    ConnectionId watched = kNoConnection;
    PeerAddress peer;
    ConnectionWatch watch;
    ConnectionReading reading;
    bool changed = false;  // bytes have come since the last look
    bool waiting = false;  // calls, without a message
  };

  Place& At(ConnectionId id) { return *places_[SlotOf(id)]; }
  Place* Find(ConnectionId id);
  void FindSocketOfLatest();
  SocketId SocketOf(ConnectionId id);

  void Run();
  bool Look();
  void CountBytes(const Connection& connection);
  bool Judge(ConnectionId id);
  void EndIdleStreams();
  void End(ConnectionId id, Flood flood);
  void LogEndsAtHeaders();
  void GiveMemoryBack();

  const Limits limits_;
  std::vector<std::unique_ptr<Place>> places_;
  TokenBucket all_calls_;

  std::function<std::int64_t()> accounted_;
  Connections* connections_ = nullptr;
  std::vector<ConnectionId> seen_;  // by the look under way
  std::int64_t arriving_ = 0;       // of all connections, at the last look
  std::int64_t resident_ = 0;       // bytes of the process, at the last look
  std::int64_t least_resident_ = 0;

  std::mutex sockets_mutex_;  // guards what follows
  std::optional<ChannelzSockets> channelz_;
  std::vector<SocketId> sockets_;  // by place
  ConnectionId latest_ = kNoConnection;
  SocketId next_socket_ = 0;

  std::atomic<std::int64_t> ended_at_headers_{0};
  std::int64_t logged_at_headers_ = 0;

  std::atomic<bool> freed_{false};
  std::optional<std::chrono::steady_clock::time_point> freed_at_;
  std::chrono::steady_clock::time_point gave_back_at_;

  std::mutex stop_mutex_;
  std::condition_variable stopping_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace torqued::server

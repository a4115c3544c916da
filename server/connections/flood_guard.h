// Ends connections that take from the server and never let it answer.
#pragma once

#include <grpcpp/server.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "server/connections/call_budget.h"
#include "server/connections/channelz_sockets.h"
#include "server/connections/connection.h"
#include "server/connections/connections.h"
#include "server/connections/flood_judge.h"
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
    std::int64_t all_calls = 16384;
    std::int64_t all_calls_per_second = 4000;
    FloodJudge::Limits judge;
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
  void OnEndlessHeaders(const Connection& connection) override;
  void OnClose(const Connection& connection) override;

 private:
  struct EndedAtHeaders {
    std::string_view reason;
    PeerAddress peer;
  };
  /// What is known of the connection in a place.
  struct Place {
    explicit Place(const Limits& limits) : budget(limits.call) {}

    std::atomic<ConnectionId> id{kNoConnection};
    CallBudget budget;
    std::atomic<TokenBucket*> of_peer{nullptr};
    std::atomic<std::int64_t> called{0};      // headers were complete
    std::atomic<std::int64_t> serving{0};     // of these, by a service
    std::atomic<std::int64_t> over{0};        // of these, refused or served
    std::atomic<bool> left{false};            // some call, by the client
    std::atomic<std::int64_t> unfinished{0};  // bytes, at the last look
    std::atomic<ConnectionId> flooded{kNoConnection};  // the last that was
    // Of the thread that watches, from here on.
    ConnectionId watched = kNoConnection;
    PeerAddress peer;
    std::string key;  // of the peer
    ConnectionReading reading;
    bool counted = false;  // by gRPC, and so known
  };

  Place& At(ConnectionId id) { return *places_[SlotOf(id)]; }
  Place* Find(ConnectionId id);
  SharedBudget SharedBy(const Place& place) {
    return {all_calls_, *place.of_peer.load()};
  }
  /// Of the connection that was opened last but for those without one. False
  /// where gRPC counts none yet.
  bool FindSocketOf(ConnectionId id);
  SocketId SocketOf(ConnectionId id);

  void Run();
  bool Look();
  void See(const Connection& connection);
  /// What gRPC counts of it.
  void Count(ConnectionId id);
  void End(ConnectionId id);
  /// False where it has been ended before.
  bool EndAtHeaders(const Connection& connection, std::string_view reason);
  void TellEnd(const EndedAtHeaders& end, bool took_memory);
  void LogEnd(const FloodJudge::Verdict& verdict);
  void LogEndsAtHeaders();
  void GiveMemoryBack();

  const Limits limits_;
  std::vector<std::unique_ptr<Place>> places_;
  TokenBucket all_calls_;
  // By a hash of the peer that nobody can know: few share one by chance.
  std::deque<TokenBucket> of_peers_;
  const std::size_t seed_;
  FloodJudge judge_;

  std::function<std::int64_t()> accounted_;
  Connections* connections_ = nullptr;
  // Of the look under way.
  std::vector<ConnectionId> open_;
  std::vector<ConnectionId> changed_;  // of these, worth counting again
  std::vector<FloodJudge::Seen> seen_;
  std::int64_t resident_ = 0;  // bytes of the process, at the last look
  std::int64_t least_resident_ = 0;

  std::mutex sockets_mutex_;  // guards what follows
  std::optional<ChannelzSockets> channelz_;
  std::vector<SocketId> sockets_;  // by place
  ConnectionId latest_ = kNoConnection;
  SocketId next_socket_ = 0;

  std::mutex ended_mutex_;
  std::vector<EndedAtHeaders> ended_at_headers_;  // to be told
  bool others_ended_ = false;  // some that took memory, by now

  std::atomic<int> closed_early_{0};  // connections
  std::atomic<bool> freed_{false};
  std::optional<std::chrono::steady_clock::time_point> freed_at_;
  std::chrono::steady_clock::time_point gave_back_at_;

  std::mutex stop_mutex_;
  std::condition_variable stopping_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace torqued::server

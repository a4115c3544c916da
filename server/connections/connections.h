// All connections of the server: bounded, each of them known, each of them to
// be ended.
#pragma once

#include <grpcpp/server_builder.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "server/connections/connection.h"
#include "server/connections/descriptor.h"
#include "server/connections/slot_ports.h"

namespace torqued::server {

/// Thread-safe. Made before the server is, gone after it.
class Connections {
 public:
  struct Limits {
    std::size_t all = 1000;       // at most 2^16
    std::size_t per_peer = 1000;  // of those with one PeerAddress::Key
  };
  /// Why a connection is turned away.
  enum class Refusal : std::uint8_t {
    kAll,          // as many as there may be
    kPerPeer,      // as many as one peer may have
    kFlood,        // of a peer to be wary of, too soon after another
    kDescriptors,  // the process has none left
  };

  Connections(const Limits& limits,
              std::shared_ptr<ConnectionObserver> observer);
  ~Connections();
  Connections(const Connections&) = delete;
  Connections& operator=(const Connections&) = delete;

  /// To be called once, before the server is built.
  void RegisterWith(grpc::ServerBuilder* builder);

  /// Why a connection of the peer would be turned away now, for what the others
  /// of it have done or are.
  std::optional<Refusal> RefusalOf(const PeerAddress& peer) const;
  /// A place for a connection whose peer is not known yet.
  std::variant<ConnectionId, Refusal> Reserve();
  /// Gives a reserved place up.
  void Release(ConnectionId id);
  /// Hands a connection to gRPC, which must be serving. A refusal closes it and
  /// gives the place up. Otherwise returns
  /// the duplicate, whose EPOLLHUP is to be told to OnHangUp.
  std::variant<int, Refusal> Open(ConnectionId id, Descriptor descriptor,
                                  const PeerAddress& peer, bool proxied);

  /// Nothing more can go either way: gRPC ends its part.
  void OnHangUp(ConnectionId id);
  /// Frees the places of the connections that have hung up and that gRPC is
  /// through with; how many it is not through with.
  std::size_t Sweep();

  /// Whether a TCP peer has yet to take something that was sent to it.
  bool Unsent() const;
  /// Ends a connection at once, both ways; nothing when it is over already.
  void End(ConnectionId id);
  void EndAll();
  /// As End, and what has come and was not read is dropped.
  void Abort(ConnectionId id);
  /// For kWary the peer may open one connection every kBetweenWary only.
  void BeWaryOf(const PeerAddress& peer);
  static constexpr std::chrono::seconds kWary{10};
  static constexpr std::chrono::seconds kBetweenWary{1};

  /// Those that are open, one after the other: their descriptors stay open
  /// meanwhile. `see` must not call Connections.
  void ForEach(const std::function<void(const Connection&)>& see) const;
  /// Reserved and open ones, until gRPC is through with them.
  std::size_t count() const;
  /// How many places there are.
  std::size_t places() const { return places_.size(); }

 private:
  enum class State : std::uint8_t { kFree, kReserved, kOpen, kHungUp };

  struct Place {
    std::shared_ptr<ConnectionSlot> slot;
    // Guarded by mutex_.
    State state = State::kFree;
    Connection connection;
    int handed_over = -1;  // gRPC's descriptor, which it closes
    std::string key;       // of the peer
  };

  /// Of a peer that BeWaryOf has named.
  struct Wary {
    std::chrono::steady_clock::time_point until;
    std::chrono::steady_clock::time_point next;  // connection that is taken
  };

  std::optional<Refusal> RefusalOfLocked(
      const std::string& key, std::chrono::steady_clock::time_point now) const;
  /// The place that has this connection; null when none has it any more.
  Place* Find(ConnectionId id);
  void LeaveLocked(Place& place);

  const Limits limits_;
  std::shared_ptr<ConnectionObserver> observer_;
  mutable std::mutex mutex_;
  std::vector<Place> places_;
  std::unique_ptr<SlotPorts> ports_;
  std::vector<std::size_t> free_;
  std::unordered_map<std::string, std::size_t> of_peers_;
  std::unordered_map<std::string, Wary> wary_;  // by key of the peer
  std::uint64_t opened_ = 0;
};

/// As a log line names it.
std::string_view NameOf(Connections::Refusal refusal);

}  // namespace torqued::server

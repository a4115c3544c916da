// Takes connections in.
#pragma once

#include <sys/socket.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "server/connections/address_blocks.h"
#include "server/connections/connections.h"
#include "server/connections/descriptor.h"
#include "server/connections/listening_socket.h"
#include "server/connections/proxy_header.h"
#include "server/connections/turned_away.h"

namespace torqued::server {

/// Listens at every address, and takes connections in on a thread of its own. A
/// connection beyond the limits is accepted and closed. Where the process has
/// no descriptor left, those that come wait for a tenth of a second and more.
/// The first bytes of a listed proxy's connection are a PROXY header, which has
/// to come in time, and before others want the place; its client is the peer
/// then.
class Listener {
 public:
  /// How long it accepts nothing where there is no descriptor.
  static constexpr std::chrono::milliseconds kPause{100};

  struct Options {
    std::vector<std::string> addresses;
    AddressBlocks proxies;
    /// Within which a proxy's header has to be there.
    std::chrono::milliseconds header_deadline{5000};
  };

  /// Listens, or says which address it cannot listen at and why. Connections
  /// wait until Start. `connections` must outlive it.
  static std::variant<std::unique_ptr<Listener>, std::string> Open(
      const Options& options, Connections& connections);
  /// Closes what Close would, and takes no more notice of connections.
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  /// As they were given, with the ports that were free.
  std::vector<std::string> addresses() const;

  /// gRPC serves now.
  void Start();
  /// Listens no more, once it returns: whoever connects is refused by the
  /// system. Connections whose proxy has not told of them yet are closed;
  /// others go on.
  void Close();

  /// Connects to every socket; the first address where that is not taken within
  /// `patience`, and how that failed.
  struct Silence {
    std::string address;
    std::string detail;
  };
  std::optional<Silence> Probe(std::chrono::milliseconds patience);

  /// Of connections that were turned away.
  std::int64_t turned_away() const { return turned_away_.count(); }

 private:
  using Clock = std::chrono::steady_clock;

  /// What Probe connects to.
  struct Door {
    std::string address;  // as addresses() tells it
    sockaddr_storage bound{};
    socklen_t size = 0;
  };

  /// A connection of a proxy that has not told of its client yet.
  struct Announced {
    Descriptor descriptor;
    PeerAddress proxy;
    std::string header;  // so far
    Clock::time_point deadline;
  };

  Listener(std::vector<ListeningPlace> places, const Options& options,
           Connections& connections);

  void Run();
  void DoTasks();
  int MillisecondsUntilTask() const;
  void OnEvent(std::uint64_t tag, std::uint32_t events);
  bool Watch(int descriptor, std::uint64_t tag, std::uint32_t events);
  void WatchSockets();
  void Pause(int error);
  void CloseSockets();
  void Wake();

  void Accept(const ListeningSocket& socket);
  void Take(Descriptor descriptor, const sockaddr_storage& address,
            socklen_t size);
  std::variant<ConnectionId, Connections::Refusal> Reserve();
  void HandOver(ConnectionId id, Descriptor descriptor, const PeerAddress& peer,
                bool proxied);
  void HangUp(ConnectionId id);
  void ReadHeader(ConnectionId id, Announced& announced);
  void Drop(ConnectionId id);
  void Sweep();

  bool IsProbe(const sockaddr_storage& address, socklen_t size);
  std::string Knock(const Door& door, std::chrono::milliseconds patience);
  bool closing();

  const AddressBlocks proxies_;
  const std::chrono::milliseconds header_deadline_;
  Connections& connections_;
  TurnedAway turned_away_;
  std::vector<Door> doors_;  // not changed once it is open
  int epoll_ = -1;
  int wake_ = -1;

  // Of the thread, once there is one.
  std::vector<ListeningPlace> places_;
  std::map<ConnectionId, Announced> announced_;  // the oldest first
  std::optional<Clock::time_point> tell_;        // of connections turned away
  std::optional<Clock::time_point> resume_;      // while it does not accept
  std::optional<Clock::time_point> sweep_;       // while some have hung up
  std::chrono::milliseconds between_sweeps_{1};

  // Guarded by mutex_.
  std::mutex mutex_;
  std::condition_variable changed_;
  bool close_ = false;
  bool closed_ = false;
  bool stop_ = false;
  std::set<std::string> probes_;  // where those that are under way come from

  std::thread thread_;
};

}  // namespace torqued::server

// Which connections are to be ended: from what is counted of all of them, again
// and again.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "server/connections/connection.h"
#include "server/connections/connection_watch.h"

namespace torqued::server {

/// Judges each connection by itself, and what only all of them together show:
/// calls that wait for a message, and memory that grows.
class FloodJudge {
 public:
  struct Limits {
    ConnectionWatch::Limits watch;
    /// Open calls without a message, of all connections, for so long; twice as
    /// many at once.
    std::int64_t waiting = 16384;
    std::chrono::milliseconds waiting_time{250};
    /// What a call without a message and a connection take. Bytes.
    std::int64_t call_bytes = std::int64_t{16} << 10;
    std::int64_t connection_bytes = std::int64_t{64} << 10;
    /// What arrives is held as it came, as a message and by the allocator.
    std::int64_t copies = 3;
    /// By which memory may grow while bytes come that are no message, and by
    /// how many times these bytes.
    std::int64_t memory = std::int64_t{96} << 20;
    std::int64_t memory_times = 4;
    /// For so long memory may grow by what connections that were ended have
    /// left, since the threads of gRPC that read them go on: by so many times
    /// their bytes, but not more than this.
    std::chrono::milliseconds aftermath{500};
    std::int64_t times_left = 64;
    std::int64_t most_left = std::int64_t{128} << 20;
    /// Fewer bytes of one peer, or of one connection of its several, are to
    /// blame for nothing.
    std::int64_t least_of_peer = std::int64_t{64} << 10;
    std::int64_t least_bytes = std::int64_t{4} << 10;
    /// No byte makes so many.
    std::int64_t most_times = 128;
  };

  /// A connection, as it is now.
  struct Seen {
    ConnectionId id = kNoConnection;
    std::string_view peer;  // PeerAddress::Key
    ConnectionReading reading;
    /// Whether it has what gRPC counts: where not, it is not judged by itself.
    bool counted = true;
  };

  struct Verdict {
    ConnectionId id = kNoConnection;
    Flood flood = Flood::kStreams;
    bool certain = true;  // nobody else can have been it
  };

  /// `places`: of the connections.
  FloodJudge(const Limits& limits, std::size_t places);

  /// `memory`: of the process, in use; `accounted`: of it, what its calls
  /// account for, used already or not; `idle`: the least that was in use.
  /// Until the next look.
  const std::vector<Verdict>& Look(const std::vector<Seen>& seen,
                                   std::int64_t memory, std::int64_t accounted,
                                   std::int64_t idle);
  /// Somebody else has ended connections: what grew until the next look may
  /// have been theirs.
  void OthersEnded() { forgive_ = true; }
  /// Of one that was seen, since it last began a call or ended a message.
  std::int64_t UnfinishedBytes(ConnectionId id) {
    return WatchOf(id).unfinished().bytes;
  }
  /// Whether it should look again soon.
  bool soon() const { return soon_; }

 private:
  /// The connections of one peer that may be to blame for memory.
  struct Suspect {
    ConnectionWatch::Growth growth;
    std::vector<ConnectionId> ids;
  };
  using Suspects = std::map<std::string_view, Suspect>;
  using GrowthOf = const ConnectionWatch::Growth& (ConnectionWatch::*)() const;

  ConnectionWatch& WatchOf(ConnectionId id);
  bool IsEnded(ConnectionId id) const;
  void Leave(const Seen& ended);
  std::int64_t Explained(const std::vector<Seen>& seen, std::int64_t accounted);
  void EndWaiting(const std::vector<Seen>& seen);
  void EndGrowing(const std::vector<Seen>& seen);
  Suspects WhoseMemoryGrows(const std::vector<Seen>& seen, GrowthOf growth,
                            std::int64_t memory);

  struct Place {
    ConnectionId id = kNoConnection;
    ConnectionWatch watch;
  };

  const Limits limits_;
  std::vector<Place> places_;
  std::optional<std::chrono::steady_clock::time_point> too_many_since_;
  std::vector<Verdict> verdicts_;  // of the look under way
  // What connections that were ended may make of their bytes, until when.
  std::int64_t left_ = 0;
  std::chrono::steady_clock::time_point left_until_;
  bool forgive_ = false;
  bool soon_ = false;
};

}  // namespace torqued::server

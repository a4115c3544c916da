// How many lines a reason of refusals and a peer may have in the log.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace torqued::server {

/// Of the refusals of one reason to one peer the first ones in a time have a
/// line each; of the others one line tells how many there were. Takes bounded
/// memory. Not thread-safe.
class RefusalLimit {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr std::int64_t kLines = 20;
  static constexpr std::chrono::seconds kTime{10};
  /// Peers beyond these share one count a reason.
  static constexpr std::size_t kMaxCounts = 1024;
  static constexpr std::string_view kOtherPeers = "others";

  /// Refusals that had no line.
  struct LeftOut {
    std::string reason;
    std::string peer;
    std::int64_t count = 0;
  };

  /// Whether one more refusal has a line. `reason`: one of few.
  bool Take(std::string_view reason, std::string_view peer,
            Clock::time_point now);

  /// Those whose time is over, once.
  std::vector<LeftOut> TakeLeftOut(Clock::time_point now);

  std::size_t size() const { return counts_.size(); }

 private:
  using Key = std::pair<std::string, std::string>;  // reason and peer
  struct Count {
    Clock::time_point end;
    std::int64_t refusals = 0;
  };

  std::map<Key, Count> counts_;
};

/// The peer of a call as connections name it, "127.0.0.1:52345", or gRPC,
/// "ipv4:127.0.0.1:52345", without the port: connections of one host are one
/// peer.
std::string_view HostOf(std::string_view peer);

}  // namespace torqued::server

// Whether a connection floods the server: from what is counted of it, again and
// again.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace torqued::server {

/// What is known of a connection at one time. What is of the connection only
/// grows.
struct ConnectionReading {
  std::int64_t begun = 0;     // streams, whose headers may be incomplete
  std::int64_t ended = 0;     // of these
  std::int64_t called = 0;    // of these, headers that were complete
  std::int64_t messages = 0;  // that were received whole
  std::int64_t bytes = 0;     // that were received: of TCP exactly, of a Unix
                              // socket those that were seen waiting
  bool exact_bytes = true;
  // Bytes, of the whole process.
  std::int64_t memory = 0;     // in use
  std::int64_t accounted = 0;  // for which its calls account
  std::int64_t arriving = 0;   // Pending, of all connections

  std::int64_t open() const { return begun - ended; }
};

enum class Flood : std::uint8_t {
  kStreams,  // more are open than the server's settings allow
  kHeaders,  // headers that do not end
  kFrames,   // bytes that are neither calls nor messages
  kMemory,   // bytes that are no message yet, while memory grows
};
/// As a log line names it.
std::string_view NameOf(Flood flood);

/// Of one connection. gRPC shows neither frames nor bytes, so this is told from
/// what does not happen: streams that are not ended, headers that are not
/// complete, messages that do not become whole.
class ConnectionWatch {
 public:
  struct Limits {
    /// Open streams that are allowed. gRPC counts the end of a call when it has
    /// cleared it away, so more are none of the client's doing as long as some
    /// end between looks; many times as many are.
    std::int64_t streams = 256;
    std::int64_t streams_times = 8;
    int looks = 20;
    /// What headers may take; beyond that they are no headers of a client.
    std::int64_t header_bytes = std::int64_t{64} << 10;
    /// The largest message, and the largest window, ahead of which a client may
    /// send to a call that has ended already.
    std::int64_t message_bytes = std::int64_t{64} << 20;
    std::int64_t window_bytes = std::int64_t{48} << 20;
    /// By which memory may grow while a message arrives of which there are more
    /// than `header_bytes` already, or by so many times its bytes.
    std::int64_t memory = std::int64_t{128} << 20;
    std::int64_t memory_times = 4;
    /// What arrives is held as it came, as a message and by the allocator.
    std::int64_t copies = 3;
  };

  /// `limits` must stay.
  explicit ConnectionWatch(const Limits* limits) : limits_(limits) {}

  /// Looks at the connection again; says when it is to be ended, and why.
  std::optional<Flood> Look(const ConnectionReading& now);
  /// Bytes that came since something was last done.
  std::int64_t Pending(const ConnectionReading& now) const {
    return now.bytes - last_.bytes;
  }
  /// Whether it should be looked at again soon.
  bool suspicious() const { return incomplete_; }

 private:
  bool HeadersAreIncomplete(const ConnectionReading& now);
  bool MemoryGrows(const ConnectionReading& now);
  bool StreamsStay(const ConnectionReading& now);

  const Limits* limits_;
  struct Memory {
    std::int64_t least = 0;
    std::int64_t least_accounted = 0;
    std::int64_t most_accounted = 0;
    std::int64_t most_arriving = 0;
  };

  ConnectionReading last_;        // when something was done
  Memory memory_;                 // since then
  std::int64_t passed_over_ = 0;  // streams whose headers nobody was shown
  bool incomplete_ = false;       // the newest headers
  std::int64_t ended_ = 0;        // at the last look
  int stayed_ = 0;                // looks since
};

}  // namespace torqued::server

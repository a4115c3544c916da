// Whether a connection floods the server: from what is counted of it, again and
// again.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace torqued::server {

/// What is known of a connection at one time. But for `serving` and `unread` it
/// only grows.
struct ConnectionReading {
  std::chrono::steady_clock::time_point time;
  std::int64_t begun = 0;     // streams, whose headers may be incomplete
  std::int64_t ended = 0;     // of these; counted once they are cleared away
  std::int64_t called = 0;    // of those begun, headers that were complete
  std::int64_t serving = 0;   // of these, that a service works on now
  std::int64_t over = 0;      // of these, that were refused or served
  std::int64_t messages = 0;  // that were received whole
  std::int64_t bytes = 0;     // that gRPC has taken: of TCP exactly, of a Unix
                              // socket those that were seen waiting
  std::int64_t unread = 0;    // that have come and gRPC has not taken yet
  std::int64_t sent = 0;      // bytes to the client; of a Unix socket none
  bool exact_bytes = true;

  /// gRPC may count an end between its two numbers.
  std::int64_t open() const { return begun > ended ? begun - ended : 0; }
  /// Open calls of which no service has a message.
  std::int64_t waiting() const {
    return open() > serving ? open() - serving : 0;
  }
};

/// What is known of the process at that time. Bytes.
struct ProcessReading {
  std::int64_t memory = 0;     // in use
  std::int64_t explained = 0;  // by what is known of its calls
  std::int64_t idle = 0;       // least that was in use
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
    /// cleared it away, so more are none of the client's doing unless none ends
    /// for so long; many times as many are.
    std::int64_t streams = 256;
    std::int64_t streams_times = 8;
    std::chrono::milliseconds streams_time{1000};
    /// What headers may take; beyond that they are no headers of a client, once
    /// they are incomplete for so long: a thread of gRPC may wait for a core
    /// before it shows them. Or once memory has grown by so much and so many
    /// times these bytes.
    std::int64_t header_bytes = std::int64_t{64} << 10;
    std::chrono::milliseconds header_time{250};
    std::int64_t header_memory = std::int64_t{16} << 20;
    std::int64_t header_memory_times = 16;
    /// What a client may send of a message while the server says nothing: its
    /// windows are announced more often.
    std::int64_t unanswered_bytes = std::int64_t{2} << 20;
    /// Of what came in the look in which a call began, so much may be of it.
    /// More than that is rather a message of one that sends fast.
    std::int64_t sudden_bytes = std::int64_t{64} << 10;
    /// The largest message, of each open call, and the largest window, ahead of
    /// which a client may send to calls that have ended already.
    std::int64_t message_bytes = std::int64_t{64} << 20;
    std::int64_t window_bytes = std::int64_t{48} << 20;
  };

  /// Bytes that came in some time, and by how much memory has grown meanwhile
  /// beyond what explains it.
  struct Growth {
    std::int64_t bytes = 0;
    std::int64_t memory = 0;
  };

  /// `limits` must stay.
  explicit ConnectionWatch(const Limits* limits) : limits_(limits) {}

  /// Looks at the connection again; says when it is to be ended, and why.
  std::optional<Flood> Look(const ConnectionReading& now,
                            const ProcessReading& process);
  /// Bytes that came since something was last done.
  std::int64_t Pending(const ConnectionReading& now) const {
    return now.bytes > last_.bytes ? now.bytes - last_.bytes : 0;
  }
  /// Since the server last said something to the client. In headers that do not
  /// end it has nothing to say: within them a client may not send, nor ask for,
  /// anything else.
  const Growth& unanswered() const { return unanswered_.growth; }
  /// Since the client last began a call or ended a message.
  const Growth& unfinished() const { return unfinished_.growth; }
  /// Memory counts from now on.
  void Forgive(const ProcessReading& process);
  /// Whether it should be looked at again soon.
  bool suspicious() const { return incomplete_; }

 private:
  /// What has come since it began.
  struct Window {
    std::int64_t first_byte = 0;
    std::int64_t least_memory = 0;
    // What calls give back, the allocator keeps: so the most that they had.
    std::int64_t least_explained = 0;
    std::int64_t most_explained = 0;
    Growth growth;

    void Begin(std::int64_t byte, const ProcessReading& process);
    void Forgive(const ProcessReading& process);
    void Look(const ConnectionReading& now, const ProcessReading& process);
  };

  bool HeadersAreIncomplete(const ConnectionReading& now);
  bool HeadersDoNotEnd(const ConnectionReading& now) const;
  bool StreamsStay(const ConnectionReading& now);

  const Limits* limits_;
  bool looked_ = false;
  ConnectionReading last_;  // when something was done
  Window unanswered_;
  Window unfinished_;
  // At the last look.
  std::int64_t bytes_ = 0;
  std::int64_t sent_ = 0;
  ProcessReading process_;
  std::int64_t passed_over_ = 0;  // streams whose headers nobody was shown
  bool incomplete_ = false;       // the newest headers
  std::int64_t ended_ = 0;        // at the last look
  // When there were too many first, and none has ended since.
  std::optional<std::chrono::steady_clock::time_point> staying_since_;
};

}  // namespace torqued::server

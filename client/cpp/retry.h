// When a call that failed is tried again.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <utility>

#include "client/cpp/error.h"

namespace grpc {
class ClientContext;
}

namespace torqued::client {

using Clock = std::chrono::system_clock;

/// Told before each wait for another try: what failed, and how long it waits.
using Waiting =
    std::function<void(const Error& error, std::chrono::nanoseconds delay)>;

/// Delays between the tries of one call: doubling from 50 ms to 1 s, but never
/// below what the server asks for.
class RetrySchedule {
 public:
  explicit RetrySchedule(Clock::time_point deadline, Waiting waiting = {})
      : deadline_(deadline), waiting_(std::move(waiting)) {}

  /// How long to wait before the next try, or nothing when `error` is final: of
  /// another kind than UNAVAILABLE (or RESOURCE_EXHAUSTED with a retry delay),
  /// or the deadline would pass first.
  std::optional<std::chrono::nanoseconds> NextDelay(const Error& error,
                                                    Clock::time_point now);
  /// The same as of now, and tells of the wait that follows.
  std::optional<std::chrono::nanoseconds> Announce(const Error& error);

 private:
  Clock::time_point deadline_;
  Waiting waiting_;
  std::chrono::milliseconds backoff_{50};
};

using Attempt = std::function<grpc::Status(grpc::ClientContext&)>;

/// Runs `attempt`, again and again where `retry` is set and the failure allows
/// it, until it succeeds. Throws Error.
void CallUntilDone(const Attempt& attempt, Clock::time_point deadline,
                   bool retry, const Waiting& waiting = {});

}  // namespace torqued::client

// When a call that failed is tried again.
#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "client/cpp/error.h"

namespace grpc {
class ClientContext;
}

namespace torqued::client {

using Clock = std::chrono::system_clock;

/// Delays between the tries of one call: doubling from 50 ms to 1 s, but never
/// below what the server asks for.
class RetrySchedule {
 public:
  explicit RetrySchedule(Clock::time_point deadline) : deadline_(deadline) {}

  /// How long to wait before the next try, or nothing when `error` is final: of
  /// another kind than UNAVAILABLE (or RESOURCE_EXHAUSTED with a retry delay),
  /// or the deadline would pass first.
  std::optional<std::chrono::nanoseconds> NextDelay(const Error& error,
                                                    Clock::time_point now);

 private:
  Clock::time_point deadline_;
  std::chrono::milliseconds backoff_{50};
};

using Attempt = std::function<grpc::Status(grpc::ClientContext&)>;

/// Runs `attempt`, again and again where `retry` is set and the failure allows
/// it, until it succeeds. Throws Error.
void CallUntilDone(const Attempt& attempt, Clock::time_point deadline,
                   bool retry);

}  // namespace torqued::client

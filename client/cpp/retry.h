// When a call that failed is tried again: docs/grpc.md.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "torqued/client/cpp/error.h"

namespace torqued::client {

using Clock = std::chrono::system_clock;

/// Told before each wait for another try: what failed, and how long it waits.
using Waiting =
    std::function<void(const Error& error, std::chrono::nanoseconds delay)>;

/// Whether a call changes something on the server.
enum class Effect : std::uint8_t { kNone, kChanges };

/// Whether another try may follow `error`. CANCELLED counts as the server's
/// doing: a caller that cancels does not ask.
bool MayTryAgain(const Error& error, Effect effect);

/// The waits between the tries of one call.
class RetrySchedule {
 public:
  /// The deadline of a call that has none.
  static constexpr Clock::time_point kForever = Clock::time_point::max();

  explicit RetrySchedule(Clock::time_point deadline, Waiting waiting = {},
                         Effect effect = Effect::kNone)
      : deadline_(deadline), waiting_(std::move(waiting)), effect_(effect) {}

  /// The wait after a failure, which is the argument of the function. Nothing:
  /// it is final.
  std::optional<std::chrono::nanoseconds> NextDelay(const Error& error,
                                                    Clock::time_point now);

 private:
  Clock::time_point deadline_;
  Waiting waiting_;
  Effect effect_;
  std::chrono::milliseconds backoff_{50};
};

}  // namespace torqued::client

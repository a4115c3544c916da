// When a call that failed is tried again: docs/retries.md.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
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

/// Whether a call changes something on the server.
enum class Effect : std::uint8_t { kNone, kChanges };

/// Whether another try may follow `error`. A call without effect may be tried
/// again where the server is not there, was lost, is stopping or is full; a
/// call with an effect only where a stopping server refused it (DRAINING), so
/// that nothing was done. CANCELLED counts as the server's doing: a caller that
/// cancels does not ask.
bool MayTryAgain(const Error& error, Effect effect);

/// How many tries beyond the first ones all calls of a connection may make, so
/// that a server that comes back is not run over: 50, and more by 10 a second
/// and by one for every call or chunk that is answered, up to 50. Thread-safe.
class RetryBudget {
 public:
  /// False where it is used up.
  bool Take(Clock::time_point now);
  void Answered();

 private:
  static constexpr double kMost = 50;
  static constexpr double kPerSecond = 10;

  std::mutex mutex_;
  double left_ = kMost;
  Clock::time_point filled_;
};

/// What the calls of a connection have in common.
struct RetryPolicy {
  Waiting waiting = {};
  /// Null: without bounds.
  std::shared_ptr<RetryBudget> budget = {};
};

/// The waits between the tries of one call. A wait is a random share, from a
/// half to all, of a length that doubles from 50 ms to 1 s, and is never
/// shorter than the server asks for. While the budget has no room, further
/// waits follow. The last try comes 50 ms before the deadline; of a call
/// without a deadline, 50 ms before 300 s have passed since the first failure
/// after the last answer. The last try needs no room in the budget.
class RetrySchedule {
 public:
  /// The deadline of a call that has none.
  static constexpr Clock::time_point kForever = Clock::time_point::max();

  explicit RetrySchedule(Clock::time_point deadline, RetryPolicy policy = {},
                         Effect effect = Effect::kNone)
      : deadline_(deadline), policy_(std::move(policy)), effect_(effect) {}

  /// How long to wait after a failure. Nothing: the failure is final, because
  /// MayTryAgain denies another try, or because the time that is left is over
  /// or shorter than the server asks for.
  std::optional<std::chrono::nanoseconds> NextDelay(const Error& error,
                                                    Clock::time_point now);
  /// How long to wait further once a wait has passed. Nothing: the next try may
  /// begin.
  std::optional<std::chrono::nanoseconds> StillToWait(Clock::time_point now);
  /// NextDelay, as of now, and tells of the wait that follows.
  std::optional<std::chrono::nanoseconds> Announce(const Error& error);
  /// The server answered: the next failure counts as the first one.
  void Answered();

  /// Returns when the next try may begin, `delay` from now at the earliest.
  void Wait(std::chrono::nanoseconds delay);

  Effect effect() const { return effect_; }

 private:
  std::chrono::nanoseconds Backoff();
  std::chrono::nanoseconds UntilLastTry(Clock::time_point now) const;

  Clock::time_point deadline_;
  RetryPolicy policy_;
  Effect effect_;
  std::chrono::milliseconds backoff_{50};
  std::optional<Clock::time_point> failing_since_;
};

using Attempt = std::function<grpc::Status(grpc::ClientContext&)>;

/// Runs `attempt`, again and again where there is a schedule that allows it,
/// until it succeeds. Throws Error.
void CallUntilDone(const Attempt& attempt, Clock::time_point deadline,
                   std::optional<RetrySchedule> schedule);

}  // namespace torqued::client

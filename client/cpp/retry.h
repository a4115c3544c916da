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

/// Whether another try may follow `error`. CANCELLED counts as the server's
/// doing: a caller that cancels does not ask.
bool MayTryAgain(const Error& error, Effect effect);

/// Bounds the tries beyond the first ones of all calls of a connection: a
/// bucket of 50 tokens, which gains 10 a second and one with each answer.
/// Thread-safe.
class RetryBudget {
 public:
  /// Whether there was a token.
  bool Take(Clock::time_point now);
  void Answered();

 private:
  std::mutex mutex_;
  double left_ = 50;
  Clock::time_point filled_;
};

/// What the calls of a connection have in common.
struct RetryPolicy {
  Waiting waiting = {};
  /// Null: without bounds.
  std::shared_ptr<RetryBudget> budget = {};
};

/// The waits between the tries of one call.
class RetrySchedule {
 public:
  /// The deadline of a call that has none.
  static constexpr Clock::time_point kForever = Clock::time_point::max();

  explicit RetrySchedule(Clock::time_point deadline, RetryPolicy policy = {},
                         Effect effect = Effect::kNone)
      : deadline_(deadline), policy_(std::move(policy)), effect_(effect) {}

  /// How long to wait after a failure, which the policy's function is told.
  /// Nothing: it is final.
  std::optional<std::chrono::nanoseconds> NextDelay(const Error& error,
                                                    Clock::time_point now);
  /// How long to wait further once a wait has passed. Nothing: the next try may
  /// begin.
  std::optional<std::chrono::nanoseconds> StillToWait(Clock::time_point now);
  /// The server answered: the next failure counts as the first one.
  void Answered();

 private:
  std::chrono::nanoseconds Backoff();
  std::chrono::nanoseconds UntilLastTry(Clock::time_point now) const;

  Clock::time_point deadline_;
  RetryPolicy policy_;
  Effect effect_;
  std::chrono::milliseconds backoff_{50};
  std::optional<Clock::time_point> failing_since_;
};

using Attempt = std::function<grpc::Status(grpc::ClientContext&, bool again)>;

/// Runs `attempt` until it succeeds, again if the schedule allows it. Throws
/// Error.
void CallUntilDone(const Attempt& attempt, Clock::time_point deadline,
                   std::optional<RetrySchedule> schedule);

}  // namespace torqued::client

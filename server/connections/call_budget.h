// How many calls a connection may begin that are never answered.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace torqued::server {

/// A bucket of tokens: a call takes one, an answer gives it back, and time
/// fills the bucket at a fixed rate. A client that waits for its answers has as
/// many as it likes a second; one that opens calls and leaves them, or cancels
/// them at once, has those of the bucket and then as many as the rate allows.
///
/// Take is for one thread at a time, Return for any.
class TokenBucket {
 public:
  using Time = std::chrono::steady_clock::time_point;

  TokenBucket(std::int64_t size, std::int64_t per_second)
      : interval_(1'000'000'000 / per_second), most_(size * interval_) {}

  /// False when it is empty: nothing is taken.
  bool Take(Time now) {
    const std::int64_t time = now.time_since_epoch().count();
    std::int64_t full_at = full_at_.load();
    std::int64_t then = 0;
    do {
      then = (full_at > time ? full_at : time) + interval_;
      if (then - time > most_) return false;
    } while (!full_at_.compare_exchange_weak(full_at, then));
    return true;
  }
  /// A token beyond the size of the bucket is lost.
  void Return() { full_at_.fetch_sub(interval_); }
  void Fill() { full_at_.store(0); }
  /// How many tokens are missing.
  std::int64_t Missing(Time now) const {
    const std::int64_t left = full_at_.load() - now.time_since_epoch().count();
    return left <= 0 ? 0 : (left + interval_ - 1) / interval_;
  }

 private:
  static_assert(std::chrono::steady_clock::period::den == 1'000'000'000);

  const std::int64_t interval_;  // ns a token
  const std::int64_t most_;      // ns to fill it from empty
  std::atomic<std::int64_t> full_at_{0};
};

/// Of one connection, or of all of them together.
class CallBudget {
 public:
  using Time = TokenBucket::Time;
  struct Limits {
    /// Calls that are open or were never answered, at once.
    std::int64_t calls = 640;
    std::int64_t calls_per_second = 2000;
    /// Refusals that a client may ignore, before its connection is ended.
    std::int64_t refusals = 256;
    std::int64_t refusals_per_second = 100;
    /// What a connection may have whatever the others have.
    std::int64_t own_calls = 64;
  };
  /// What happens to a call.
  enum class Answer : std::uint8_t {
    kAdmit,
    kRefuse,
    kEnd,  // the connection, too
  };

  explicit CallBudget(const Limits& limits)
      : own_calls_(limits.own_calls),
        calls_(limits.calls, limits.calls_per_second),
        refusals_(limits.refusals, limits.refusals_per_second) {}

  /// The headers of a call are there. One thread at a time. `all`: of all
  /// connections together, of which others may take meanwhile.
  Answer OnHeaders(Time now, TokenBucket& all) {
    if (calls_.Take(now)) {
      if (all.Take(now) || calls_.Missing(now) <= own_calls_) {
        return Answer::kAdmit;
      }
      calls_.Return();
    }
    return refusals_.Take(now) ? Answer::kRefuse : Answer::kEnd;
  }
  /// A call that was admitted has been answered. Any thread.
  void OnAnswered(TokenBucket& all) {
    calls_.Return();
    all.Return();
  }
  /// Calls that are open or were never answered.
  std::int64_t Unanswered(Time now) const { return calls_.Missing(now); }
  /// For the next connection.
  void Fill() {
    calls_.Fill();
    refusals_.Fill();
  }

 private:
  const std::int64_t own_calls_;
  TokenBucket calls_;
  TokenBucket refusals_;
};

}  // namespace torqued::server

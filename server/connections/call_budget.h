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
/// Thread-safe.
class TokenBucket {
 public:
  using Time = std::chrono::steady_clock::time_point;

  TokenBucket(std::int64_t size, std::int64_t per_second)
      : size_(size),
        interval_(1'000'000'000 / per_second),
        most_(size * interval_) {}

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
  std::int64_t Left(Time now) const { return size_ - Missing(now); }

 private:
  static_assert(std::chrono::steady_clock::period::den == 1'000'000'000);

  const std::int64_t size_;
  const std::int64_t interval_;  // ns a token
  const std::int64_t most_;      // ns to fill it from empty
  std::atomic<std::int64_t> full_at_{0};
};

/// What all connections share. A peer has as much of it as is left to others:
/// one alone has half, and who has taken little always finds some.
class SharedBudget {
 public:
  using Time = TokenBucket::Time;

  SharedBudget(TokenBucket& all, TokenBucket& peer) : all_(all), peer_(peer) {}

  bool Take(Time now) {
    if (peer_.Missing(now) >= all_.Left(now)) return false;
    return all_.Take(now) && peer_.Take(now);
  }
  void Return() {
    all_.Return();
    peer_.Return();
  }

 private:
  TokenBucket& all_;
  TokenBucket& peer_;  // as large as `all_`
};

/// Of one connection.
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
    /// Refusals for what others have, before they count like others.
    std::int64_t busy = 2000;
    std::int64_t busy_per_second = 1000;
  };
  /// What happens to a call.
  enum class Answer : std::uint8_t {
    kAdmit,
    kBusy,    // refused for what others have
    kRefuse,  // for what this connection has left unanswered
    kEnd,     // the connection, too
  };

  explicit CallBudget(const Limits& limits)
      : own_calls_(limits.own_calls),
        calls_(limits.calls, limits.calls_per_second),
        refusals_(limits.refusals, limits.refusals_per_second),
        busy_(limits.busy, limits.busy_per_second) {}

  /// The headers of a call are there. One thread at a time.
  Answer OnHeaders(Time now, SharedBudget shared) {
    ForgetUnshared(calls_.Missing(now));
    if (calls_.Take(now)) {
      if (shared.Take(now)) return Answer::kAdmit;
      if (calls_.Missing(now) <= own_calls_) {
        unshared_.fetch_add(1);
        return Answer::kAdmit;
      }
      calls_.Return();
      if (busy_.Take(now)) return Answer::kBusy;
    }
    return refusals_.Take(now) ? Answer::kRefuse : Answer::kEnd;
  }
  /// A call that was admitted has been answered. Any thread.
  void OnAnswered(SharedBudget shared) {
    if (!TakeUnshared()) shared.Return();
    // Last: a call that comes meanwhile finds no less missing than there are
    // unshared.
    calls_.Return();
  }
  /// Calls that are open or were never answered.
  std::int64_t Unanswered(Time now) const { return calls_.Missing(now); }
  /// For the next connection.
  void Fill() {
    calls_.Fill();
    refusals_.Fill();
    busy_.Fill();
    unshared_.store(0);
  }

 private:
  /// It does not matter which of the calls took nothing that is shared.
  bool TakeUnshared() {
    std::int64_t unshared = unshared_.load();
    while (unshared > 0) {
      if (unshared_.compare_exchange_weak(unshared, unshared - 1)) return true;
    }
    return false;
  }
  /// Time has made good for calls beyond these, so answers to others do not.
  /// Where these are open yet, theirs give back what they did not take: as many
  /// as a connection has of its own.
  void ForgetUnshared(std::int64_t missing) {
    std::int64_t unshared = unshared_.load();
    while (unshared > missing &&
           !unshared_.compare_exchange_weak(unshared, missing)) {
    }
  }

  const std::int64_t own_calls_;
  TokenBucket calls_;
  TokenBucket refusals_;
  TokenBucket busy_;
  std::atomic<std::int64_t> unshared_{0};  // admitted, not answered
};

}  // namespace torqued::server

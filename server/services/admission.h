// Limits on the work at a time.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "server/errors/error.h"

namespace torqued::server {

/// Opaque: a client by its name, otherwise a TCP connection.
using PeerId = std::uint64_t;
/// The account of all clients of Unix sockets, and of work without a client.
inline constexpr PeerId kNoPeer = 0;

/// Counts the bytes of the calls in flight, and streams. A call that exceeds a
/// limit is refused at once: a queue would only delay all calls. One peer holds
/// at most half of each limit, and kNoPeer may hold all. Thread-safe.
class Admission {
 public:
  struct Load {
    std::int64_t bytes = 0;
    std::int64_t streams = 0;

    friend bool operator==(const Load&, const Load&) = default;
    friend Load operator+(const Load& a, const Load& b) {
      return {a.bytes + b.bytes, a.streams + b.streams};
    }
  };

  explicit Admission(const Load& limit) : limit_(limit) {}

  /// Limits of all calls together.
  const Load& limit() const { return limit_; }
  /// Under way now.
  Load held() const {
    const std::lock_guard lock(mutex_);
    return held_;
  }
  std::int64_t bytes() const { return held().bytes; }

 private:
  friend class Reservation;

  std::optional<Error> Take(PeerId peer, const Load& more, const Load& own);
  void Give(PeerId peer, const Load& given);
  void Add(PeerId peer, const Load& more);  // under the lock

  const Load limit_;
  mutable std::mutex mutex_;
  Load held_;
  std::unordered_map<PeerId, Load> peers_;  // that hold anything
};

/// The reservation of a call or a part of it, until this is destroyed.
class Reservation {
 public:
  /// `beside`: what the call holds elsewhere, if anything; outlives this.
  explicit Reservation(Admission& admission, PeerId peer = kNoPeer,
                       const Reservation* beside = nullptr)
      : admission_(admission), peer_(peer), beside_(beside) {}
  ~Reservation() { GiveBack(); }
  Reservation(const Reservation&) = delete;
  Reservation& operator=(const Reservation&) = delete;

  /// REQUEST_TOO_LARGE: it never fits with what the call holds. Or OVERLOADED.
  std::optional<Error> Grow(std::int64_t bytes, std::int64_t streams = 0);
  /// Gives back the bytes beyond so many.
  void ShrinkTo(std::int64_t bytes);
  void GiveBack() {
    if (load_ != Admission::Load()) admission_.Give(peer_, load_);
    load_ = {};
  }

  std::int64_t bytes() const { return load_.bytes; }
  const Admission& admission() const { return admission_; }

 private:
  Admission& admission_;
  const PeerId peer_;
  const Reservation* const beside_;
  Admission::Load load_;
};

}  // namespace torqued::server

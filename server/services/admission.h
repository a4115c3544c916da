// How much work may be under way at a time.
#pragma once

#include <cstdint>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "server/errors/error.h"
#include "server/services/peer.h"

namespace torqued::server {

/// Counts the bytes of the calls in flight, and streams. What does not fit is
/// refused at once: a queue would only make everybody late. One peer holds at
/// most half of each limit, and kNoPeer may hold all. Thread-safe.
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

  /// Gives its load back when it goes. Must not outlive the Admission.
  class Reservation {
   public:
    Reservation() = default;
    Reservation(Reservation&& other) noexcept
        : owner_(std::exchange(other.owner_, nullptr)),
          peer_(other.peer_),
          load_(std::exchange(other.load_, {})) {}
    Reservation& operator=(Reservation&& other) noexcept {
      Reservation old(std::move(*this));
      owner_ = std::exchange(other.owner_, nullptr);
      peer_ = other.peer_;
      load_ = std::exchange(other.load_, {});
      return *this;
    }
    ~Reservation();

    const Load& load() const { return load_; }
    /// Holds what `more` holds, too, which is of the same peer.
    void Add(Reservation&& more);
    /// Gives back what it holds of bytes beyond so many.
    void ShrinkTo(std::int64_t bytes);

   private:
    friend class Admission;
    Reservation(Admission* owner, PeerId peer, const Load& load)
        : owner_(owner), peer_(peer), load_(load) {}

    Admission* owner_ = nullptr;
    PeerId peer_ = kNoPeer;
    Load load_;
  };

  explicit Admission(Load limit) : limit_(limit) {}

  /// REQUEST_TOO_LARGE for what never fits, OVERLOADED for what does not now.
  /// `own`: what the same call holds, which never fits together with more than
  /// its peer may hold.
  OrError<Reservation> Admit(Load load, PeerId peer, const Load& own);
  OrError<Reservation> Admit(Load load, PeerId peer = kNoPeer) {
    return Admit(load, peer, Load());
  }

  /// Of all calls together.
  const Load& limit() const { return limit_; }
  /// Under way now.
  Load held() const;
  std::int64_t bytes() const { return held().bytes; }

 private:
  void Give(PeerId peer, const Load& given);

  const Load limit_;
  mutable std::mutex mutex_;
  Load held_;
  std::unordered_map<PeerId, Load> peers_;  // that hold anything
};

/// An Admission as one call sees it.
class PeerAdmission {
 public:
  /// `own`: what the call holds.
  /// NOLINTNEXTLINE(google-explicit-constructor): an Admission will do.
  PeerAdmission(Admission& admission, PeerId peer = kNoPeer,
                const Admission::Load& own = {})
      : admission_(&admission), peer_(peer), own_(own) {}

  /// `more`: what the call holds beside.
  OrError<Admission::Reservation> Admit(
      Admission::Load load, const Admission::Load& more = {}) const {
    return admission_->Admit(load, peer_, own_ + more);
  }
  const Admission::Load& limit() const { return admission_->limit(); }

 private:
  Admission* admission_;
  PeerId peer_;
  Admission::Load own_;
};

}  // namespace torqued::server

// How much work may be under way at a time.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "server/errors/error.h"
#include "server/services/peer.h"

namespace torqued::server {

/// Counts rows and bytes of the calls in flight, and streams, by peer. What
/// does not fit is refused at once: a queue would only make everybody late.
/// Thread-safe.
///
/// Each peer has a share of its own, 1/(4 peers) of each limit, which no other
/// can take: what it holds within its share always finds room. Beyond that it
/// borrows: all borrowers together hold at most the limit, and each of them at
/// most seven eighths of what the others leave of it, unless it holds nothing
/// else. So the peer that holds much is the one that is refused.
class Admission {
 public:
  struct Load {
    std::int64_t rows = 0;
    std::int64_t bytes = 0;
    std::int64_t streams = 0;

    friend bool operator==(const Load&, const Load&) = default;
    friend Load operator+(const Load& a, const Load& b) {
      return {a.rows + b.rows, a.bytes + b.bytes, a.streams + b.streams};
    }
  };

 private:
  /// What was admitted, and how much of it as Reach::kSlow.
  struct Held {
    Load all;
    Load slow;

    friend bool operator==(const Held&, const Held&) = default;
    friend Held operator+(const Held& a, const Held& b) {
      return {a.all + b.all, a.slow + b.slow};
    }
  };

 public:
  /// Gives its load back when it goes. Must not outlive the Admission.
  class Ticket {
   public:
    Ticket() = default;
    Ticket(Ticket&& other) noexcept
        : owner_(std::exchange(other.owner_, nullptr)),
          peer_(other.peer_),
          held_(std::exchange(other.held_, {})) {}
    Ticket& operator=(Ticket&& other) noexcept {
      Ticket old(std::move(*this));
      owner_ = std::exchange(other.owner_, nullptr);
      peer_ = other.peer_;
      held_ = std::exchange(other.held_, {});
      return *this;
    }
    ~Ticket();

    const Load& load() const { return held_.all; }
    /// Holds what `more` holds, too, which is of the same peer.
    void Add(Ticket&& more);
    /// Gives back what it holds of bytes beyond so many.
    void KeepBytes(std::int64_t bytes);

   private:
    friend class Admission;
    Ticket(Admission* owner, PeerId peer, const Held& held)
        : owner_(owner), peer_(peer), held_(held) {}

    Admission* owner_ = nullptr;
    PeerId peer_ = kNoPeer;
    Held held_;
  };

  /// How much may be borrowed, by all peers together, once a load is admitted.
  enum class Reach : std::uint8_t {
    kLimit,
    /// Half of the rows and of the bytes. For what can wait as well: others
    /// always find some room.
    kHalfTheLimit,
    /// For what its peer may hold as long as it likes. All that is admitted so
    /// is at most half of the limit of rows and bytes. Of that half as of the
    /// limit each peer leaves an eighth of what it finds, also one that holds
    /// nothing else.
    kSlow,
  };

  /// As many peers as there are connections by default.
  static constexpr std::int64_t kUsualPeers = 1000;

  /// In place of the number of peers: none has a share.
  static constexpr std::int64_t kNoShares = 0;

  explicit Admission(Load limit, std::int64_t peers = kUsualPeers);

  /// REQUEST_TOO_LARGE for what never fits, OVERLOADED for what does not now.
  /// `own`: what the same call holds, which is not something else that its peer
  /// holds, and never fits where both together do not.
  OrError<Ticket> Admit(Load load, Reach reach, PeerId peer, const Load& own);
  OrError<Ticket> Admit(Load load, Reach reach = Reach::kLimit,
                        PeerId peer = kNoPeer) {
    return Admit(load, reach, peer, Load());
  }

  /// Of all calls together, beside the shares.
  const Load& limit() const { return limit_; }
  /// Of each peer; at least one stream, where peers have shares.
  const Load& share() const { return share_; }
  /// The most that a peer may have admitted as Reach::kSlow.
  std::int64_t most_slow_bytes() const;
  /// Under way now, of all peers.
  Load held() const;
  std::int64_t bytes() const { return held().bytes; }

 private:
  /// One of the three that are counted.
  struct Unit {
    std::string_view name;
    std::int64_t Load::* of;
    bool halved;  // by Reach::kHalfTheLimit and kSlow
  };
  static const Unit kUnits[3];

  /// What counts as borrowed of what a peer holds: all, unless its share is
  /// enough for it.
  std::int64_t Borrowed(const Unit& unit, std::int64_t held) const {
    return held > share_.*unit.of ? held : 0;
  }
  Error NeverFits(const Unit& unit, std::int64_t amount) const;
  Error NoRoom(const Unit& unit, bool by_peer) const;
  /// Why there is no room for more of a unit. `before`, `after`: of the peer.
  std::optional<Error> Problem(const Unit& unit, Reach reach,
                               const Held& before, const Held& after,
                               const Load& own) const;
  /// What is borrowed, once a peer holds another amount.
  void Recount(const Unit& unit, const Held& before, const Held& after);
  void Give(PeerId peer, const Held& given);

  const Load limit_;
  Load share_;
  mutable std::mutex mutex_;
  Held borrowed_;                          // by all peers
  std::unordered_map<PeerId, Held> held_;  // of peers that hold anything
};

/// An Admission as calls of one peer see it, or one call: with a ticket of its
/// own, which must live as long.
class PeerAdmission {
 public:
  /// NOLINTNEXTLINE(google-explicit-constructor): an Admission will do.
  PeerAdmission(Admission& admission, PeerId peer = kNoPeer,
                const Admission::Ticket* own = nullptr)
      : admission_(&admission), peer_(peer), own_(own) {}

  /// `more`: what the call holds beside its ticket.
  OrError<Admission::Ticket> Admit(
      Admission::Load load, Admission::Reach reach = Admission::Reach::kLimit,
      const Admission::Load& more = {}) const {
    return admission_->Admit(load, reach, peer_,
                             own_ == nullptr ? more : own_->load() + more);
  }
  const Admission::Load& limit() const { return admission_->limit(); }
  std::int64_t most_slow_bytes() const { return admission_->most_slow_bytes(); }

 private:
  Admission* admission_;
  PeerId peer_;
  const Admission::Ticket* own_;
};

}  // namespace torqued::server

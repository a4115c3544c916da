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
  };

  /// Gives its load back when it goes. Must not outlive the Admission.
  class Ticket {
   public:
    Ticket() = default;
    Ticket(Ticket&& other) noexcept
        : owner_(std::exchange(other.owner_, nullptr)),
          peer_(other.peer_),
          load_(other.load_) {}
    Ticket& operator=(Ticket&& other) noexcept {
      std::swap(owner_, other.owner_);
      std::swap(peer_, other.peer_);
      std::swap(load_, other.load_);
      return *this;
    }
    ~Ticket();

   private:
    friend class Admission;
    Ticket(Admission* owner, PeerId peer, Load load)
        : owner_(owner), peer_(peer), load_(load) {}

    Admission* owner_ = nullptr;
    PeerId peer_ = kNoPeer;
    Load load_;
  };

  /// How much may be borrowed, by all peers together, once a load is admitted.
  enum class Reach : std::uint8_t {
    kLimit,
    /// Half of the rows and of the bytes. For what can wait as well: others
    /// always find some room.
    kHalfTheLimit,
  };

  /// As many peers as there are connections by default.
  static constexpr std::int64_t kUsualPeers = 1000;

  explicit Admission(Load limit, std::int64_t peers = kUsualPeers);

  /// REQUEST_TOO_LARGE for what never fits, OVERLOADED for what does not now.
  /// `own`: what the same call has been admitted before, which is not
  /// something else that its peer holds; may be null.
  OrError<Ticket> Admit(Load load, Reach reach = Reach::kLimit,
                        PeerId peer = kNoPeer, const Ticket* own = nullptr);

  /// Of all calls together, beside the shares.
  const Load& limit() const { return limit_; }
  /// Of each peer; at least one stream.
  const Load& share() const { return share_; }
  /// Under way now.
  std::int64_t bytes() const;

 private:
  /// One of the three that are counted.
  struct Unit {
    std::string_view name;
    std::int64_t Load::* of;
    bool halved;  // by Reach::kHalfTheLimit
  };
  static const Unit kUnits[3];

  /// What counts as borrowed of what a peer holds: all, unless its share is
  /// enough for it.
  std::int64_t Borrowed(const Unit& unit, std::int64_t held) const {
    return held > share_.*unit.of ? held : 0;
  }
  Error Refusal(const Unit& unit, std::int64_t amount, bool by_peer) const;
  void Give(PeerId peer, const Load& load);

  const Load limit_;
  Load share_;
  mutable std::mutex mutex_;
  Load borrowed_;                          // by all peers
  std::unordered_map<PeerId, Load> held_;  // of peers that hold anything
};

/// An Admission as calls of one peer see it, or one call: with its own ticket,
/// which must live as long.
class PeerAdmission {
 public:
  /// NOLINTNEXTLINE(google-explicit-constructor): an Admission will do.
  PeerAdmission(Admission& admission, PeerId peer = kNoPeer,
                const Admission::Ticket* own = nullptr)
      : admission_(&admission), peer_(peer), own_(own) {}

  OrError<Admission::Ticket> Admit(
      Admission::Load load,
      Admission::Reach reach = Admission::Reach::kLimit) const {
    return admission_->Admit(load, reach, peer_, own_);
  }
  const Admission::Load& limit() const { return admission_->limit(); }

 private:
  Admission* admission_;
  PeerId peer_;
  const Admission::Ticket* own_;
};

}  // namespace torqued::server

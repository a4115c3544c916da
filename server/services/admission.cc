#include "server/services/admission.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <string>

namespace torqued::server {
namespace {

// About the time of a large job; clients add their own back-off.
constexpr std::chrono::milliseconds kRetryAfter{100};

/// Of what is left to one peer it leaves this part to others.
constexpr std::int64_t kLeftToOthers = 8;
/// Of a limit, the shares of all peers together.
constexpr std::int64_t kPartOfShares = 4;

}  // namespace

const Admission::Unit Admission::kUnits[3] = {
    {"rows", &Load::rows, true},
    {"bytes", &Load::bytes, true},
    {"streams", &Load::streams, false},
};

Admission::Admission(Load limit, std::int64_t peers) : limit_(limit) {
  for (const Unit& unit : kUnits) {
    share_.*unit.of = limit_.*unit.of / peers / kPartOfShares;
  }
  share_.streams = std::max<std::int64_t>(share_.streams, 1);
}

Admission::Ticket::~Ticket() {
  if (owner_ != nullptr) owner_->Give(peer_, load_);
}

Error Admission::Refusal(const Unit& unit, std::int64_t amount,
                         bool by_peer) const {
  const std::int64_t limit = limit_.*unit.of;
  const std::string name(unit.name);
  Error error;
  const bool never = amount > limit;
  error.reason = never ? v1::REQUEST_TOO_LARGE : v1::OVERLOADED;
  if (never) {
    error.message = "The call takes " + std::to_string(amount) + " " + name +
                    "; the server works on at most " + std::to_string(limit) +
                    " at a time.";
  } else if (by_peer) {
    error.message = "This connection has too many " + name +
                    " under way beside others; try later.";
  } else {
    error.message = "Too many " + name + " are under way; try later.";
  }
  error.metadata = {{"limit", std::to_string(limit)},
                    {"setting", "max-inflight-" + name}};
  if (!never) error.retry_after = kRetryAfter;
  return error;
}

OrError<Admission::Ticket> Admission::Admit(Load load, Reach reach, PeerId peer,
                                            const Ticket* own) {
  // Nothing is held, so there is nothing to be given back.
  if (load.rows == 0 && load.bytes == 0 && load.streams == 0) return Ticket();
  const std::lock_guard lock(mutex_);
  const auto found = held_.find(peer);
  const Load before = found == held_.end() ? Load() : found->second;
  Load after, borrowed = borrowed_;
  for (const Unit& unit : kUnits) {
    const std::int64_t amount = load.*unit.of, held = before.*unit.of;
    const bool halved = reach == Reach::kHalfTheLimit && unit.halved;
    const std::int64_t limit = limit_.*unit.of / (halved ? 2 : 1);
    // Too much is told apart from what does not fit beside others.
    if (amount > limit_.*unit.of) return Refusal(unit, amount, false);
    if (amount > std::numeric_limits<std::int64_t>::max() - held) {
      return Refusal(unit, amount, true);
    }
    after.*unit.of = held + amount;
    const std::int64_t others = borrowed_.*unit.of - Borrowed(unit, held);
    const std::int64_t wanted = Borrowed(unit, held + amount);
    borrowed.*unit.of = others + wanted;
    if (amount == 0 || wanted == 0) continue;
    const std::int64_t room = limit - others;
    const bool holds_more = held > (own == nullptr ? 0 : own->load_.*unit.of);
    if (wanted > room) return Refusal(unit, amount, holds_more);
    // Half of the limit leaves enough to others.
    if (holds_more && !halved && wanted > room - room / kLeftToOthers) {
      return Refusal(unit, amount, true);
    }
  }
  held_[peer] = after;
  borrowed_ = borrowed;
  return Ticket(this, peer, load);
}

std::int64_t Admission::bytes() const {
  const std::lock_guard lock(mutex_);
  std::int64_t bytes = 0;
  for (const auto& [peer, held] : held_) bytes += held.bytes;
  return bytes;
}

void Admission::Give(PeerId peer, const Load& load) {
  const std::lock_guard lock(mutex_);
  const auto found = held_.find(peer);
  Load& held = found->second;
  bool any = false;
  for (const Unit& unit : kUnits) {
    borrowed_.*unit.of -= Borrowed(unit, held.*unit.of);
    held.*unit.of -= load.*unit.of;
    borrowed_.*unit.of += Borrowed(unit, held.*unit.of);
    any = any || held.*unit.of != 0;
  }
  if (!any) held_.erase(found);
}

}  // namespace torqued::server

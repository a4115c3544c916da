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

std::int64_t ButWhatIsLeft(std::int64_t room) {
  return room - room / kLeftToOthers;
}

/// Both are at least 0.
std::int64_t Sum(std::int64_t a, std::int64_t b) {
  constexpr auto kLargest = std::numeric_limits<std::int64_t>::max();
  return a > kLargest - b ? kLargest : a + b;
}

}  // namespace

const Admission::Unit Admission::kUnits[3] = {
    {"rows", &Load::rows, true},
    {"bytes", &Load::bytes, true},
    {"streams", &Load::streams, false},
};

Admission::Admission(Load limit, std::int64_t peers) : limit_(limit) {
  if (peers == kNoShares) return;
  for (const Unit& unit : kUnits) {
    share_.*unit.of = limit_.*unit.of / peers / kPartOfShares;
  }
  share_.streams = std::max<std::int64_t>(share_.streams, 1);
}

Admission::Ticket::~Ticket() {
  if (owner_ != nullptr) owner_->Give(peer_, held_);
}

void Admission::Ticket::Add(Ticket&& more) {
  if (owner_ == nullptr) {
    *this = std::move(more);
  } else if (more.owner_ != nullptr) {
    more.owner_ = nullptr;
    held_ = held_ + std::exchange(more.held_, {});
  }
}

void Admission::Ticket::KeepBytes(std::int64_t bytes) {
  if (owner_ == nullptr || held_.all.bytes <= bytes) return;
  Held given;
  given.all.bytes = held_.all.bytes - bytes;
  given.slow.bytes = std::max<std::int64_t>(0, held_.slow.bytes - bytes);
  owner_->Give(peer_, given);
  held_.all.bytes -= given.all.bytes;
  held_.slow.bytes -= given.slow.bytes;
}

Error Admission::NeverFits(const Unit& unit, std::int64_t amount) const {
  const std::string name(unit.name), limit = std::to_string(limit_.*unit.of);
  Error error;
  error.reason = v1::REQUEST_TOO_LARGE;
  error.message = "The call takes " + std::to_string(amount) + " " + name +
                  "; the server works on at most " + limit + " at a time.";
  error.metadata = {{"limit", limit}, {"setting", "max-inflight-" + name}};
  return error;
}

Error Admission::NoRoom(const Unit& unit, bool by_peer) const {
  const std::string name(unit.name);
  Error error;
  error.reason = v1::OVERLOADED;
  error.message = by_peer ? "This connection has too many " + name +
                                " under way beside others; try later."
                          : "Too many " + name + " are under way; try later.";
  error.metadata = {{"limit", std::to_string(limit_.*unit.of)},
                    {"setting", "max-inflight-" + name}};
  error.retry_after = kRetryAfter;
  return error;
}

std::optional<Error> Admission::Problem(const Unit& unit, Reach reach,
                                        const Held& before, const Held& after,
                                        const Load& own) const {
  const bool slow = reach == Reach::kSlow && unit.halved;
  const bool half = reach == Reach::kHalfTheLimit && unit.halved;
  const std::int64_t limit = limit_.*unit.of;
  const std::int64_t wanted = Borrowed(unit, after.all.*unit.of);
  if (wanted == 0) return std::nullopt;
  const bool holds_more = before.all.*unit.of > own.*unit.of;
  const std::int64_t room = limit / (half ? 2 : 1) - borrowed_.all.*unit.of +
                            Borrowed(unit, before.all.*unit.of);
  if (wanted > room) return NoRoom(unit, holds_more);
  // Half of the limit leaves enough to others.
  if ((slow || (holds_more && !half)) && wanted > ButWhatIsLeft(room)) {
    return NoRoom(unit, true);
  }
  if (!slow) return std::nullopt;
  const std::int64_t room_for_slow = limit / 2 - borrowed_.slow.*unit.of +
                                     Borrowed(unit, before.slow.*unit.of);
  if (Borrowed(unit, after.slow.*unit.of) > ButWhatIsLeft(room_for_slow)) {
    return NoRoom(unit, before.slow.*unit.of > 0);
  }
  return std::nullopt;
}

OrError<Admission::Ticket> Admission::Admit(Load load, Reach reach, PeerId peer,
                                            const Load& own) {
  // Nothing is held, so there is nothing to be given back.
  if (load == Load()) return Ticket();
  const std::lock_guard lock(mutex_);
  const auto found = held_.find(peer);
  const Held before = found == held_.end() ? Held() : found->second;
  Held taken{.all = load, .slow = {}};
  for (const Unit& unit : kUnits) {
    const std::int64_t amount = load.*unit.of;
    // Too much is told apart from what does not fit beside others.
    const std::int64_t whole = Sum(amount, own.*unit.of);
    if (amount > 0 && whole > limit_.*unit.of) return NeverFits(unit, whole);
    if (Sum(before.all.*unit.of, amount) - amount != before.all.*unit.of) {
      return NoRoom(unit, true);
    }
    if (reach == Reach::kSlow && unit.halved) taken.slow.*unit.of = amount;
  }
  const Held after = before + taken;
  for (const Unit& unit : kUnits) {
    if (load.*unit.of == 0) continue;
    if (auto problem = Problem(unit, reach, before, after, own)) {
      return *std::move(problem);
    }
  }
  held_[peer] = after;
  for (const Unit& unit : kUnits) Recount(unit, before, after);
  return Ticket(this, peer, taken);
}

std::int64_t Admission::most_slow_bytes() const {
  return ButWhatIsLeft(limit_.bytes / 2);
}

Admission::Load Admission::held() const {
  const std::lock_guard lock(mutex_);
  Load all;
  for (const auto& [peer, held] : held_) all = all + held.all;
  return all;
}

void Admission::Recount(const Unit& unit, const Held& before,
                        const Held& after) {
  borrowed_.all.*unit.of +=
      Borrowed(unit, after.all.*unit.of) - Borrowed(unit, before.all.*unit.of);
  borrowed_.slow.*unit.of += Borrowed(unit, after.slow.*unit.of) -
                             Borrowed(unit, before.slow.*unit.of);
}

void Admission::Give(PeerId peer, const Held& given) {
  const std::lock_guard lock(mutex_);
  const auto found = held_.find(peer);
  const Held before = found->second;
  Held& held = found->second;
  for (const Unit& unit : kUnits) {
    held.all.*unit.of -= given.all.*unit.of;
    held.slow.*unit.of -= given.slow.*unit.of;
    Recount(unit, before, held);
  }
  if (held == Held()) held_.erase(found);
}

}  // namespace torqued::server

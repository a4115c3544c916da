#include "server/services/admission.h"

#include <chrono>
#include <string>

namespace torqued::server {
namespace {

using Load = Admission::Load;

// About the time of a large job; clients add their own back-off.
constexpr std::chrono::milliseconds kRetryAfter{100};

struct Unit {
  std::string_view name;
  std::int64_t Load::* of;
};
constexpr Unit kUnits[] = {{"bytes", &Load::bytes},
                           {"streams", &Load::streams}};

/// Of a limit, what one peer may hold.
std::int64_t MostOf(PeerId peer, std::int64_t limit) {
  return peer == kNoPeer ? limit : limit - limit / 2;
}

Error TooLarge(const Unit& unit, std::int64_t amount, std::int64_t most) {
  const std::string name(unit.name), limit = std::to_string(most);
  Error error;
  error.reason = v1::REQUEST_TOO_LARGE;
  error.message = "The call takes " + std::to_string(amount) + " " + name +
                  "; a client may have at most " + limit + " under way.";
  error.metadata = {{"limit", limit}, {"setting", "max-inflight-" + name}};
  return error;
}

Error Overloaded(const Unit& unit, std::int64_t limit, bool by_peer) {
  const std::string name(unit.name);
  Error error;
  error.reason = v1::OVERLOADED;
  error.message = by_peer ? "This client has too many " + name +
                                " under way beside others; try later."
                          : "Too many " + name + " are under way; try later.";
  error.metadata = {{"limit", std::to_string(limit)},
                    {"setting", "max-inflight-" + name}};
  error.retry_after = kRetryAfter;
  return error;
}

}  // namespace

Admission::Reservation::~Reservation() {
  if (owner_ != nullptr) owner_->Give(peer_, load_);
}

void Admission::Reservation::Add(Reservation&& more) {
  if (owner_ == nullptr) {
    *this = std::move(more);
  } else if (more.owner_ != nullptr) {
    more.owner_ = nullptr;
    load_ = load_ + std::exchange(more.load_, {});
  }
}

void Admission::Reservation::ShrinkTo(std::int64_t bytes) {
  if (owner_ == nullptr || load_.bytes <= bytes) return;
  owner_->Give(peer_, {.bytes = load_.bytes - bytes});
  load_.bytes = bytes;
}

OrError<Admission::Reservation> Admission::Admit(Load load, PeerId peer,
                                                 const Load& own) {
  // Nothing is held, so there is nothing to be given back.
  if (load == Load()) return Reservation();
  const std::lock_guard lock(mutex_);
  const auto found = peers_.find(peer);
  const Load before = found == peers_.end() ? Load() : found->second;
  for (const Unit& unit : kUnits) {
    const std::int64_t amount = load.*unit.of, limit = limit_.*unit.of;
    const std::int64_t most = MostOf(peer, limit);
    if (amount == 0) continue;
    // In this form nothing overflows.
    if (amount > most - own.*unit.of) {
      return TooLarge(unit, amount > most ? amount : amount + own.*unit.of,
                      most);
    }
    if (amount > most - before.*unit.of) return Overloaded(unit, most, true);
    if (amount > limit - held_.*unit.of) return Overloaded(unit, limit, false);
  }
  peers_[peer] = before + load;
  held_ = held_ + load;
  return Reservation(this, peer, load);
}

Admission::Load Admission::held() const {
  const std::lock_guard lock(mutex_);
  return held_;
}

void Admission::Give(PeerId peer, const Load& given) {
  const std::lock_guard lock(mutex_);
  const auto found = peers_.find(peer);
  for (const Unit& unit : kUnits) {
    held_.*unit.of -= given.*unit.of;
    found->second.*unit.of -= given.*unit.of;
  }
  if (found->second == Load()) peers_.erase(found);
}

}  // namespace torqued::server

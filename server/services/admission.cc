#include "server/services/admission.h"

#include <chrono>
#include <string>
#include <utility>

namespace torqued::server {

std::optional<Error> Admission::Take(PeerId peer, const Load& more,
                                     const Load& own) {
  const std::lock_guard lock(mutex_);
  const auto found = peers_.find(peer);
  const Load theirs = found == peers_.end() ? Load() : found->second;
  for (const auto unit : {&Load::bytes, &Load::streams}) {
    const std::int64_t limit = limit_.*unit, wanted = more.*unit;
    const std::int64_t most = peer == kNoPeer ? limit : limit - limit / 2;
    if (wanted == 0) continue;
    const std::string name = unit == &Load::bytes ? "bytes" : "streams";
    // In this form nothing overflows.
    const bool never = wanted > most - own.*unit;
    const bool too_many = wanted > most - theirs.*unit;
    if (!never && !too_many && wanted <= limit - held_.*unit) continue;
    Error error = MakeError(
        never ? v1::REQUEST_TOO_LARGE : v1::OVERLOADED,
        never      ? "The call takes more " + name + " than a client may have."
        : too_many ? "This client has too many " + name + " in flight."
                   : "Too many " + name + " are in flight; try later.",
        {{"limit", std::to_string(never || too_many ? most : limit)},
         {"setting", "max-inflight-" + name}});
    // About the time of a large job; clients add their own back-off.
    if (!never) error.retry_after = std::chrono::milliseconds(100);
    return error;
  }
  Add(peer, more);
  return std::nullopt;
}

void Admission::Add(PeerId peer, const Load& more) {
  Load& theirs = peers_[peer];
  theirs = theirs + more;
  held_ = held_ + more;
  if (theirs == Load()) peers_.erase(peer);
}

void Admission::Give(PeerId peer, const Load& given) {
  const std::lock_guard lock(mutex_);
  Add(peer, {-given.bytes, -given.streams});
}

std::optional<Error> Reservation::Grow(std::int64_t bytes,
                                       std::int64_t streams) {
  if (bytes == 0 && streams == 0) return std::nullopt;
  Admission::Load own = load_;
  if (beside_ != nullptr) own.bytes += beside_->bytes();
  auto refusal = admission_.Take(peer_, {bytes, streams}, own);
  if (!refusal) load_ = load_ + Admission::Load{bytes, streams};
  return refusal;
}

void Reservation::ShrinkTo(std::int64_t bytes) {
  if (load_.bytes <= bytes) return;
  admission_.Give(peer_, {.bytes = load_.bytes - bytes});
  load_.bytes = bytes;
}

}  // namespace torqued::server

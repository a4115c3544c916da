#include "server/services/admission.h"

#include <chrono>
#include <string>
#include <utility>

namespace torqued::server {
namespace {

// About the time of a large job; clients add their own back-off.
constexpr std::chrono::milliseconds kRetryAfter{100};

/// Of one unit. `most`: that the peer may have.
std::optional<Error> RefusalOf(const std::string& unit, std::int64_t more,
                               std::int64_t own, std::int64_t of_peer,
                               std::int64_t of_all, std::int64_t most,
                               std::int64_t limit) {
  v1::Reason reason = v1::OVERLOADED;
  std::string message;
  if (more == 0) return std::nullopt;
  // In this form nothing overflows.
  if (more > most - own) {
    reason = v1::REQUEST_TOO_LARGE;
    message = "The call takes " +
              std::to_string(more > most ? more : more + own) + " " + unit +
              "; a client may have at most " + std::to_string(most) +
              " under way.";
  } else if (more > most - of_peer) {
    message = "This client has too many " + unit +
              " under way beside others; try later.";
  } else if (more > limit - of_all) {
    message = "Too many " + unit + " are under way; try later.";
    most = limit;
  } else {
    return std::nullopt;
  }
  Error error = MakeError(
      reason, std::move(message),
      {{"limit", std::to_string(most)}, {"setting", "max-inflight-" + unit}});
  if (reason == v1::OVERLOADED) error.retry_after = kRetryAfter;
  return error;
}

}  // namespace

std::optional<Error> Admission::Take(PeerId peer, const Load& more,
                                     const Load& own) {
  const auto most = [peer](std::int64_t limit) {
    return peer == kNoPeer ? limit : limit - limit / 2;
  };
  const std::lock_guard lock(mutex_);
  const auto found = peers_.find(peer);
  const Load theirs = found == peers_.end() ? Load() : found->second;
  auto refusal = RefusalOf("bytes", more.bytes, own.bytes, theirs.bytes,
                           held_.bytes, most(limit_.bytes), limit_.bytes);
  if (!refusal) {
    refusal = RefusalOf("streams", more.streams, own.streams, theirs.streams,
                        held_.streams, most(limit_.streams), limit_.streams);
  }
  if (!refusal) Add(peer, more);
  return refusal;
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

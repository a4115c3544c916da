#include "server/services/admission.h"

#include <chrono>
#include <string>

namespace torqued::server {
namespace {

// About the time of a large job; clients add their own back-off.
constexpr std::chrono::milliseconds kRetryAfter{100};

/// Adds if the sum stays within the limit.
bool TryAdd(std::atomic<std::int64_t>& sum, std::int64_t amount,
            std::int64_t limit) {
  std::int64_t before = sum.load(std::memory_order_relaxed);
  do {
    if (amount > limit - before) return false;
  } while (!sum.compare_exchange_weak(before, before + amount,
                                      std::memory_order_relaxed));
  return true;
}

Error Refusal(std::string_view unit, std::int64_t amount, std::int64_t limit) {
  Error error;
  const bool never = amount > limit;
  error.reason = never ? v1::REQUEST_TOO_LARGE : v1::OVERLOADED;
  error.message =
      never ? "The call takes " + std::to_string(amount) + " " +
                  std::string(unit) + "; the server works on at most " +
                  std::to_string(limit) + " at a time."
            : "Too many " + std::string(unit) + " are under way; try later.";
  error.metadata = {{"limit", std::to_string(limit)},
                    {"setting", "max-inflight-" + std::string(unit)}};
  if (!never) error.retry_after = kRetryAfter;
  return error;
}

}  // namespace

Admission::Ticket::~Ticket() {
  if (owner_ == nullptr) return;
  owner_->rows_.fetch_sub(load_.rows, std::memory_order_relaxed);
  owner_->bytes_.fetch_sub(load_.bytes, std::memory_order_relaxed);
  owner_->streams_.fetch_sub(load_.streams, std::memory_order_relaxed);
}

OrError<Admission::Ticket> Admission::Admit(Load load, Reach reach) {
  const std::int64_t part = reach == Reach::kLimit ? 1 : 2;
  if (!TryAdd(rows_, load.rows, limit_.rows / part)) {
    return Refusal("rows", load.rows, limit_.rows);
  }
  if (!TryAdd(bytes_, load.bytes, limit_.bytes / part)) {
    rows_.fetch_sub(load.rows, std::memory_order_relaxed);
    return Refusal("bytes", load.bytes, limit_.bytes);
  }
  if (!TryAdd(streams_, load.streams, limit_.streams)) {
    rows_.fetch_sub(load.rows, std::memory_order_relaxed);
    bytes_.fetch_sub(load.bytes, std::memory_order_relaxed);
    return Refusal("streams", load.streams, limit_.streams);
  }
  return Ticket(this, load);
}

}  // namespace torqued::server

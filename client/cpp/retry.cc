#include "client/cpp/retry.h"

#include <algorithm>
#include <random>

namespace torqued::client {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

bool MayTryAgain(const Error& error, Effect effect) {
  const bool unavailable = error.code() == grpc::StatusCode::UNAVAILABLE;
  if (effect == Effect::kChanges) {
    // Nothing was done.
    return unavailable && error.reason() == v1::DRAINING;
  }
  // Without a delay RESOURCE_EXHAUSTED is a limit, which another try meets
  // again.
  return unavailable || error.code() == grpc::StatusCode::CANCELLED ||
         (error.code() == grpc::StatusCode::RESOURCE_EXHAUSTED &&
          error.details().retry_delay);
}

std::optional<nanoseconds> RetrySchedule::NextDelay(const Error& error,
                                                    Clock::time_point now) {
  if (!MayTryAgain(error, effect_)) return std::nullopt;
  const nanoseconds asked =
      error.details().retry_delay.value_or(nanoseconds::zero());
  // The last try comes 50 ms before the deadline.
  const nanoseconds left = deadline_ - now - milliseconds(50);
  if (left <= nanoseconds::zero() || asked > left) return std::nullopt;
  thread_local std::minstd_rand generator{std::random_device{}()};
  const auto jittered = std::chrono::duration_cast<nanoseconds>(
      std::uniform_real_distribution<>(0.5, 1)(generator) * backoff_);
  backoff_ = std::min(backoff_ * 2, milliseconds(1000));
  const nanoseconds delay = std::max(asked, std::min(jittered, left));
  if (waiting_) waiting_(error, delay);
  return delay;
}

}  // namespace torqued::client

#include "client/cpp/retry.h"

#include <grpcpp/client_context.h>

#include <algorithm>
#include <random>
#include <thread>

namespace torqued::client {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using Delay = std::optional<nanoseconds>;

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

Delay RetrySchedule::NextDelay(const Error& error, Clock::time_point now) {
  thread_local std::minstd_rand generator{std::random_device{}()};
  if (!MayTryAgain(error, effect_)) return std::nullopt;
  const nanoseconds asked =
      error.details().retry_delay.value_or(nanoseconds::zero());
  // The last try comes 50 ms before the deadline.
  const nanoseconds left = deadline_ - now - milliseconds(50);
  if (left <= nanoseconds::zero() || asked > left) return std::nullopt;
  const std::chrono::duration<double, std::nano> backoff =
      backoff_ * std::uniform_real_distribution<>(0.5, 1)(generator);
  backoff_ = std::min(backoff_ * 2, milliseconds(1000));
  const nanoseconds delay = std::max(
      asked, std::min(std::chrono::duration_cast<nanoseconds>(backoff), left));
  if (waiting_) waiting_(error, delay);
  return delay;
}

void CallUntilDone(const Attempt& attempt, Clock::time_point deadline,
                   std::optional<RetrySchedule> schedule) {
  for (bool again = false;; again = true) {
    grpc::ClientContext context;
    context.set_deadline(deadline);
    const grpc::Status status = attempt(context, again);
    if (status.ok()) return;
    const Error error = DecodeError(status);
    const Delay delay =
        schedule ? schedule->NextDelay(error, Clock::now()) : std::nullopt;
    if (!delay) throw error;
    std::this_thread::sleep_for(*delay);
  }
}

}  // namespace torqued::client

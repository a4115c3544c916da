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

bool RetryBudget::Take(Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  if (now > filled_) {
    const std::chrono::duration<double> passed = now - filled_;
    left_ = std::min(50., left_ + 10 * passed.count());
    filled_ = now;
  }
  if (left_ < 1) return false;
  left_ -= 1;
  return true;
}

void RetryBudget::Answered() {
  const std::lock_guard lock(mutex_);
  left_ = std::min(50., left_ + 1);
}

Delay RetrySchedule::NextDelay(const Error& error, Clock::time_point now) {
  if (!MayTryAgain(error, effect_)) return std::nullopt;
  if (!failing_since_) failing_since_ = now;
  const nanoseconds asked =
      error.details().retry_delay.value_or(nanoseconds::zero());
  const nanoseconds left = UntilLastTry(now);
  if (left <= nanoseconds::zero() || asked > left) return std::nullopt;
  const nanoseconds delay = std::max(asked, std::min(Backoff(), left));
  if (policy_.waiting) policy_.waiting(error, delay);
  return delay;
}

Delay RetrySchedule::StillToWait(Clock::time_point now) {
  const nanoseconds left = UntilLastTry(now);
  // The last try takes no token.
  if (left <= nanoseconds::zero() || policy_.budget == nullptr ||
      policy_.budget->Take(now)) {
    return std::nullopt;
  }
  return std::min(Backoff(), left);
}

void RetrySchedule::Answered() {
  backoff_ = milliseconds(50);
  failing_since_.reset();
  if (policy_.budget != nullptr) policy_.budget->Answered();
}

// Half to all of what doubles from 50 ms to 1 s.
nanoseconds RetrySchedule::Backoff() {
  thread_local std::minstd_rand generator{std::random_device{}()};
  const std::chrono::duration<double, std::milli> wait =
      backoff_ * std::uniform_real_distribution<>(0.5, 1)(generator);
  backoff_ = std::min(backoff_ * 2, milliseconds(1000));
  return std::chrono::duration_cast<nanoseconds>(wait);
}

// The last try comes 50 ms before the deadline; of a call without one, before
// 300 s have passed since the first failure after the last answer.
nanoseconds RetrySchedule::UntilLastTry(Clock::time_point now) const {
  const Clock::time_point end =
      deadline_ == kForever && failing_since_
          ? *failing_since_ + std::chrono::seconds(300)
          : deadline_;
  return end - now - milliseconds(50);
}

void CallUntilDone(const Attempt& attempt, Clock::time_point deadline,
                   std::optional<RetrySchedule> schedule) {
  for (bool again = false;; again = true) {
    grpc::ClientContext context;
    context.set_deadline(deadline);
    const grpc::Status status = attempt(context, again);
    if (status.ok()) {
      if (schedule) schedule->Answered();
      return;
    }
    const Error error = DecodeError(status);
    Delay delay =
        schedule ? schedule->NextDelay(error, Clock::now()) : std::nullopt;
    if (!delay) throw error;
    for (; delay; delay = schedule->StillToWait(Clock::now())) {
      std::this_thread::sleep_for(*delay);
    }
  }
}

}  // namespace torqued::client

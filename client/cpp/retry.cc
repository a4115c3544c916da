#include "client/cpp/retry.h"

#include <grpcpp/client_context.h>

#include <algorithm>
#include <random>
#include <thread>

namespace torqued::client {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr milliseconds kFirstBackoff{50};
constexpr milliseconds kMaxBackoff{1000};
// What the last try of a call has until its deadline.
constexpr milliseconds kLastTry{50};
// Without a deadline.
constexpr std::chrono::seconds kLongestOutage{300};

// From a half to 1.
double Share() {
  thread_local std::minstd_rand generator{std::random_device{}()};
  return std::uniform_real_distribution<>(0.5, 1)(generator);
}

}  // namespace

bool MayTryAgain(const Error& error, Effect effect) {
  const bool unavailable = error.code() == grpc::StatusCode::UNAVAILABLE;
  if (effect == Effect::kChanges) {
    return unavailable && error.reason() == v1::DRAINING;
  }
  if (unavailable || error.code() == grpc::StatusCode::CANCELLED) return true;
  // Without a delay it is a limit, which another try meets again.
  return error.code() == grpc::StatusCode::RESOURCE_EXHAUSTED &&
         error.details().retry_delay.has_value();
}

bool RetryBudget::Take(Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  if (now > filled_) {
    const std::chrono::duration<double> passed = now - filled_;
    left_ = std::min(kMost, left_ + kPerSecond * passed.count());
    filled_ = now;
  }
  if (left_ < 1) return false;
  left_ -= 1;
  return true;
}

void RetryBudget::Answered() {
  const std::lock_guard lock(mutex_);
  left_ = std::min(kMost, left_ + 1);
}

std::optional<nanoseconds> RetrySchedule::NextDelay(const Error& error,
                                                    Clock::time_point now) {
  if (!MayTryAgain(error, effect_)) return std::nullopt;
  if (!failing_since_) failing_since_ = now;
  const nanoseconds asked =
      error.details().retry_delay.value_or(nanoseconds::zero());
  const nanoseconds left = UntilLastTry(now);
  if (left <= nanoseconds::zero() || asked > left) return std::nullopt;
  return std::max(asked, std::min(Backoff(), left));
}

std::optional<nanoseconds> RetrySchedule::StillToWait(Clock::time_point now) {
  const nanoseconds left = UntilLastTry(now);
  if (left <= nanoseconds::zero()) return std::nullopt;
  if (policy_.budget == nullptr || policy_.budget->Take(now)) {
    return std::nullopt;
  }
  return std::min(Backoff(), left);
}

std::optional<nanoseconds> RetrySchedule::Announce(const Error& error) {
  const auto delay = NextDelay(error, Clock::now());
  if (delay && policy_.waiting) policy_.waiting(error, *delay);
  return delay;
}

void RetrySchedule::Answered() {
  backoff_ = kFirstBackoff;
  failing_since_.reset();
  if (policy_.budget != nullptr) policy_.budget->Answered();
}

void RetrySchedule::Wait(nanoseconds delay) {
  for (std::optional<nanoseconds> next = delay; next;
       next = StillToWait(Clock::now())) {
    std::this_thread::sleep_for(*next);
  }
}

nanoseconds RetrySchedule::Backoff() {
  const nanoseconds whole = backoff_;
  backoff_ = std::min(backoff_ * 2, kMaxBackoff);
  return std::chrono::duration_cast<nanoseconds>(whole * Share());
}

nanoseconds RetrySchedule::UntilLastTry(Clock::time_point now) const {
  const Clock::time_point end = deadline_ == kForever && failing_since_
                                    ? *failing_since_ + kLongestOutage
                                    : deadline_;
  return end - now - kLastTry;
}

void CallUntilDone(const Attempt& attempt, Clock::time_point deadline,
                   std::optional<RetrySchedule> schedule) {
  bool again = false;
  while (true) {
    grpc::ClientContext context;
    context.set_deadline(deadline);
    // A refused connection would be final, so this try waits for a server.
    if (again && schedule->effect() == Effect::kChanges) {
      context.set_wait_for_ready(true);
    }
    const grpc::Status status = attempt(context);
    if (status.ok()) {
      if (schedule) schedule->Answered();
      return;
    }

    const Error error = DecodeError(status);
    const auto delay = schedule ? schedule->Announce(error) : std::nullopt;
    if (!delay) throw error;
    schedule->Wait(*delay);
    again = true;
  }
}

}  // namespace torqued::client

#include "client/cpp/retry.h"

#include <grpcpp/client_context.h>

#include <algorithm>

namespace torqued::client {
namespace {

constexpr std::chrono::milliseconds kMaxBackoff{1000};

bool IsTransient(const Error& error) {
  if (error.code() == grpc::StatusCode::UNAVAILABLE) return true;
  // Without a delay it is a limit, which another try meets again.
  return error.code() == grpc::StatusCode::RESOURCE_EXHAUSTED &&
         error.details().retry_delay.has_value();
}

}  // namespace

std::optional<std::chrono::nanoseconds> RetrySchedule::NextDelay(
    const Error& error, Clock::time_point now) {
  if (!IsTransient(error)) return std::nullopt;
  const std::chrono::nanoseconds delay = std::max<std::chrono::nanoseconds>(
      backoff_,
      error.details().retry_delay.value_or(std::chrono::nanoseconds::zero()));
  backoff_ = std::min(backoff_ * 2, kMaxBackoff);
  if (delay >= deadline_ - now) return std::nullopt;
  return delay;
}

void CallGroup::Cancel() {
  {
    const std::lock_guard lock(mutex_);
    cancelled_ = true;
    for (grpc::ClientContext* context : contexts_) context->TryCancel();
  }
  cancellation_.notify_all();
}

bool CallGroup::cancelled() const {
  const std::lock_guard lock(mutex_);
  return cancelled_;
}

void CallGroup::Sleep(std::chrono::nanoseconds delay) {
  std::unique_lock lock(mutex_);
  cancellation_.wait_for(lock, delay, [this] { return cancelled_; });
}

CallGroup::Membership::Membership(CallGroup& group,
                                  grpc::ClientContext& context)
    : group_(group), context_(context) {
  const std::lock_guard lock(group_.mutex_);
  group_.contexts_.insert(&context_);
  if (group_.cancelled_) context_.TryCancel();
}

CallGroup::Membership::~Membership() {
  const std::lock_guard lock(group_.mutex_);
  group_.contexts_.erase(&context_);
}

void CallUntilDone(const Attempt& attempt, Clock::time_point deadline,
                   bool retry, CallGroup& group) {
  RetrySchedule schedule(deadline);
  while (true) {
    grpc::ClientContext context;
    context.set_deadline(deadline);
    const grpc::Status status = [&] {
      const CallGroup::Membership membership(group, context);
      return attempt(context);
    }();
    if (status.ok()) return;

    Error error = DecodeError(status);
    const auto delay = schedule.NextDelay(error, Clock::now());
    if (!retry || !delay || group.cancelled()) throw error;
    group.Sleep(*delay);
  }
}

}  // namespace torqued::client

#include "client/cpp/retry.h"

#include <grpcpp/client_context.h>

#include <algorithm>
#include <thread>

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

std::optional<std::chrono::nanoseconds> RetrySchedule::Announce(
    const Error& error) {
  const auto delay = NextDelay(error, Clock::now());
  if (delay && waiting_) waiting_(error, *delay);
  return delay;
}

void CallUntilDone(const Attempt& attempt, Clock::time_point deadline,
                   bool retry, const Waiting& waiting) {
  RetrySchedule schedule(deadline, waiting);
  while (true) {
    grpc::ClientContext context;
    context.set_deadline(deadline);
    const grpc::Status status = attempt(context);
    if (status.ok()) return;

    const Error error = DecodeError(status);
    const auto delay = retry ? schedule.Announce(error) : std::nullopt;
    if (!delay) throw error;
    std::this_thread::sleep_for(*delay);
  }
}

}  // namespace torqued::client

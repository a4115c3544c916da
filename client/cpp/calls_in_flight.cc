#include "client/cpp/calls_in_flight.h"

#include <utility>
#include <vector>

#include "client/cpp/async_batch.h"

namespace torqued::client {

CallsInFlight::~CallsInFlight() {
  std::unique_lock lock(mutex_);
  const std::vector<std::shared_ptr<AsyncBatch>> calls(calls_.begin(),
                                                       calls_.end());
  lock.unlock();
  for (const auto& call : calls) call->Cancel();
  lock.lock();
  none_.wait(lock, [this] { return calls_.empty(); });
}

void CallsInFlight::Add(std::shared_ptr<AsyncBatch> call) {
  const std::lock_guard lock(mutex_);
  calls_.insert(std::move(call));
}

void CallsInFlight::Remove(const std::shared_ptr<AsyncBatch>& call) {
  const std::lock_guard lock(mutex_);
  calls_.erase(call);
  if (calls_.empty()) none_.notify_all();
}

}  // namespace torqued::client

// The calls of a connection that are under way by themselves.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <unordered_set>

namespace torqued::client {

class AsyncBatch;

/// Keeps them alive until they are done.
class CallsInFlight {
 public:
  CallsInFlight() = default;
  CallsInFlight(const CallsInFlight&) = delete;
  CallsInFlight& operator=(const CallsInFlight&) = delete;
  /// Cancels all, and returns when all are done.
  ~CallsInFlight();

  void Add(std::shared_ptr<AsyncBatch> call);
  /// The last that a call does with its connection.
  void Remove(const std::shared_ptr<AsyncBatch>& call);

 private:
  std::mutex mutex_;
  std::condition_variable none_;
  std::unordered_set<std::shared_ptr<AsyncBatch>> calls_;
};

}  // namespace torqued::client

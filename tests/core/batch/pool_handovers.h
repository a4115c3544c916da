// What happens when work is handed over to the pool of threads.
#pragma once

#include <functional>

namespace torqued::testing_support {

/// While it lives, `instead` is called on the thread that hands a task over to
/// TBB, with what queues the task: to be called once, then or later. What
/// `instead` throws, TBB seems to throw. One at a time.
class PoolHandovers {
 public:
  using Queue = std::function<void()>;

  explicit PoolHandovers(std::function<void(const Queue&)> instead);
  ~PoolHandovers();
  PoolHandovers(const PoolHandovers&) = delete;
  PoolHandovers& operator=(const PoolHandovers&) = delete;
};

}  // namespace torqued::testing_support

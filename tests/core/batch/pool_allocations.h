// What the pool of threads allocates when work is handed over to it.
#pragma once

#include <functional>

namespace torqued::testing_support {

/// While it lives, `before` is called before TBB allocates a task, on the
/// thread that hands the task over; what it throws, TBB seems to throw. One at
/// a time.
class PoolAllocations {
 public:
  explicit PoolAllocations(std::function<void()> before);
  ~PoolAllocations();
  PoolAllocations(const PoolAllocations&) = delete;
  PoolAllocations& operator=(const PoolAllocations&) = delete;
};

}  // namespace torqued::testing_support

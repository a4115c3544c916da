// Memory that runs out when a test says so.
#pragma once

#include <cstddef>
#include <cstdint>

namespace torqued::testing_support {

/// While it lives, operator new throws std::bad_alloc for so many bytes and
/// more, but not for `below_bytes`, on every thread. Programs that link
/// torqued_failing_allocations have their operator new replaced.
class FailingAllocations {
 public:
  explicit FailingAllocations(std::size_t from_bytes,
                              std::size_t below_bytes = SIZE_MAX);
  ~FailingAllocations();
  FailingAllocations(const FailingAllocations&) = delete;
  FailingAllocations& operator=(const FailingAllocations&) = delete;

  /// How many have failed.
  int failures() const;
};

}  // namespace torqued::testing_support

#include "tests/core/batch/pool_allocations.h"

#include <dlfcn.h>
#include <tbb/task_arena.h>

#include <cstddef>
#include <utility>

namespace torqued::testing_support {
namespace {

std::function<void()>& Before() {
  static std::function<void()> before;
  return before;
}

}  // namespace

PoolAllocations::PoolAllocations(std::function<void()> before) {
  Before() = std::move(before);
}
PoolAllocations::~PoolAllocations() { Before() = nullptr; }

}  // namespace torqued::testing_support

namespace tbb::detail::r1 {

/// Called by the inline part of task_arena::enqueue; takes the place of the
/// library's function of this name, and calls it.
void* allocate(d1::small_object_pool*& pool, std::size_t bytes) {
  using Allocate = void* (*)(d1::small_object_pool*&, std::size_t);
  static const auto library = reinterpret_cast<Allocate>(dlsym(
      RTLD_NEXT, "_ZN3tbb6detail2r18allocateERPNS0_2d117small_object_poolEm"));
  if (const auto& before = torqued::testing_support::Before()) before();
  return library(pool, bytes);
}

}  // namespace tbb::detail::r1

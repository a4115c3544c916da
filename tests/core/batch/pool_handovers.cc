#include "tests/core/batch/pool_handovers.h"

#include <dlfcn.h>
#include <tbb/task_arena.h>

#include <utility>

namespace torqued::testing_support {
namespace {

std::function<void(const PoolHandovers::Queue&)>& Instead() {
  static std::function<void(const PoolHandovers::Queue&)> instead;
  return instead;
}

}  // namespace

PoolHandovers::PoolHandovers(std::function<void(const Queue&)> instead) {
  Instead() = std::move(instead);
}
PoolHandovers::~PoolHandovers() { Instead() = nullptr; }

}  // namespace torqued::testing_support

namespace tbb::detail::r1 {

/// Called by the inline part of task_arena::enqueue; takes the place of the
/// library's function of this name, and calls it.
void enqueue(d1::task& task, d1::task_arena_base* arena) {
  using Enqueue = void (*)(d1::task&, d1::task_arena_base*);
  static const auto library = reinterpret_cast<Enqueue>(
      dlsym(RTLD_NEXT,
            "_ZN3tbb6detail2r17enqueueERNS0_2d14taskEPNS2_15task_arena_baseE"));
  if (const auto& instead = torqued::testing_support::Instead()) {
    instead([&task, arena] { library(task, arena); });
  } else {
    library(task, arena);
  }
}

}  // namespace tbb::detail::r1

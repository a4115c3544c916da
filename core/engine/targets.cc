#include <vector>

#include "core/engine/evaluation_plan.h"

namespace torqued {

inline namespace TORQUED_LEAST_TARGET {
extern const SimdKernels kSimdKernels;
}
#ifdef TORQUED_X86_TARGETS
namespace avx2 {
extern const SimdKernels kSimdKernels;
}
namespace avx512 {
extern const SimdKernels kSimdKernels;
}
#endif

std::span<const SimdKernels* const> Targets() {
  static const auto& targets = *new std::vector([] {
    std::vector<const SimdKernels*> found;
#ifdef TORQUED_X86_TARGETS
    const bool has_avx2 = __builtin_cpu_supports("avx2") != 0 &&
                          __builtin_cpu_supports("fma") != 0;
    if (has_avx2 && __builtin_cpu_supports("avx512f") != 0 &&
        __builtin_cpu_supports("avx512dq") != 0 &&
        __builtin_cpu_supports("avx512vl") != 0 &&
        __builtin_cpu_supports("avx512bw") != 0) {
      found.push_back(&avx512::kSimdKernels);
    }
    if (has_avx2) found.push_back(&avx2::kSimdKernels);
#endif
    found.push_back(&TORQUED_LEAST_TARGET::kSimdKernels);
    return found;
  }());
  return targets;
}

const SimdKernels& BestTarget() { return *Targets().front(); }

const SimdKernels* FindTarget(std::string_view name) {
  for (const SimdKernels* target : Targets()) {
    if (name == target->target) return target;
  }
  return nullptr;
}

}  // namespace torqued

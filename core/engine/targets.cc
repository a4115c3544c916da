#include "core/engine/targets.h"

#include <vector>

namespace torqued {

namespace baseline {
extern const LaneKernels kLaneKernels;
}
#ifdef TORQUED_X86_TARGETS
namespace avx2 {
extern const LaneKernels kLaneKernels;
}
namespace avx512 {
extern const LaneKernels kLaneKernels;
}
#endif

namespace {

std::vector<const LaneKernels*> FindTargets() {
  std::vector<const LaneKernels*> targets;
#ifdef TORQUED_X86_TARGETS
  const bool has_avx2 =
      __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  if (has_avx2 && __builtin_cpu_supports("avx512f") != 0 &&
      __builtin_cpu_supports("avx512dq") != 0 &&
      __builtin_cpu_supports("avx512vl") != 0 &&
      __builtin_cpu_supports("avx512bw") != 0) {
    targets.push_back(&avx512::kLaneKernels);
  }
  if (has_avx2) targets.push_back(&avx2::kLaneKernels);
#endif
  targets.push_back(&baseline::kLaneKernels);
  return targets;
}

}  // namespace

std::span<const LaneKernels* const> Targets() {
  static const auto& targets = *new std::vector(FindTargets());
  return targets;
}

const LaneKernels& BestTarget() { return *Targets().front(); }

const LaneKernels* FindTarget(std::string_view name) {
  for (const LaneKernels* target : Targets()) {
    if (name == target->target) return target;
  }
  return nullptr;
}

}  // namespace torqued

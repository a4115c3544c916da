#include "core/lanes/targets.h"

#include <array>
#include <cstddef>

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

struct TargetList {
  std::array<const LaneKernels*, 3> targets{};
  std::size_t count = 0;

  void Add(const LaneKernels& kernels) { targets[count++] = &kernels; }
};

TargetList FindTargets() {
  TargetList list;
#ifdef TORQUED_X86_TARGETS
  const bool has_avx2 =
      __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  if (has_avx2 && __builtin_cpu_supports("avx512f") != 0 &&
      __builtin_cpu_supports("avx512dq") != 0 &&
      __builtin_cpu_supports("avx512vl") != 0 &&
      __builtin_cpu_supports("avx512bw") != 0) {
    list.Add(avx512::kLaneKernels);
  }
  if (has_avx2) list.Add(avx2::kLaneKernels);
#endif
  list.Add(baseline::kLaneKernels);
  return list;
}

}  // namespace

std::span<const LaneKernels* const> Targets() {
  static const TargetList list = FindTargets();
  return {list.targets.data(), list.count};
}

const LaneKernels& BestTarget() { return *Targets().front(); }

const LaneKernels* FindTarget(std::string_view name) {
  for (const LaneKernels* target : Targets()) {
    if (name == target->target) return target;
  }
  return nullptr;
}

}  // namespace torqued

// The instruction sets that kernels are compiled for, and the choice among them
// at run time.
#pragma once

#include <span>
#include <string_view>

#include "core/engine/block_job.h"

namespace torqued {

/// The targets in this binary that this machine can run, the widest first:
/// "avx512" (F, DQ, VL, BW), "avx2" (with FMA), "baseline" (x86-64 or any other
/// architecture). Never empty.
std::span<const SimdKernels* const> Targets();

/// The widest target; what is used unless another is asked for.
const SimdKernels& BestTarget();

/// Null when this binary has no such target or this machine cannot run it.
const SimdKernels* FindTarget(std::string_view name);

}  // namespace torqued

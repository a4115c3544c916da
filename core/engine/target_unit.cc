// Compiled once for every target: see core/engine/targets.cmake. Includes
// nothing that could leave code of this target to others: no standard headers,
// no Eigen.
#include "core/engine/evaluate_blocks-inl.h"

namespace torqued {
inline namespace TORQUED_TARGET {
namespace {

template <class N>
long long EvaluateIn(const BlockJob& job, long long begin, long long end,
                     void* memory, long long bytes, FallbackRow* fallback) {
  using Evaluation = BlockEvaluation<N>;
  // The evaluation stands before what it works in.
  constexpr long long kOwn = (sizeof(Evaluation) + 63) / 64 * 64;
  if (bytes < kOwn) {
    return -kOwn - static_cast<long long>(Evaluation(job, nullptr).bytes());
  }
  auto* const evaluation =
      new (memory) Evaluation(job, static_cast<char*>(memory) + kOwn);
  const long long needed = kOwn + static_cast<long long>(evaluation->bytes());
  if (needed > bytes) return -needed;
  evaluation->Prepare();
  return evaluation->Run(begin, end, fallback);
}

long long Again(void* memory, FallbackRow* fallback) {
  return static_cast<BlockEvaluation<double>*>(memory)->Run(0, 1, fallback);
}

long long Evaluate(const BlockJob* job, long long begin, long long end,
                   void* memory, long long bytes, FallbackRow* fallback) {
#ifndef TORQUED_ONE_LANE
  if (job->single_precision) {
    return EvaluateIn<float>(*job, begin, end, memory, bytes, fallback);
  }
#endif
  return EvaluateIn<double>(*job, begin, end, memory, bytes, fallback);
}

}  // namespace

#define TORQUED_TEXT_OF(name) #name
#define TORQUED_TEXT(name) TORQUED_TEXT_OF(name)
#define TORQUED_JOINED(name, end) name##end
#define TORQUED_JOIN(name, end) TORQUED_JOINED(name, end)
#define TORQUED_ONE_LANE_TARGET TORQUED_JOIN(TORQUED_TARGET, _one)

extern const SimdKernels kSimdKernels;

}  // namespace TORQUED_TARGET

#ifndef TORQUED_ONE_LANE
namespace TORQUED_ONE_LANE_TARGET {
extern const SimdKernels kSimdKernels;
}
#endif

inline namespace TORQUED_TARGET {

const SimdKernels kSimdKernels = {TORQUED_TEXT(TORQUED_TARGET),
                                  Pack<double>::kLanes,
                                  Pack<float>::kLanes,
                                  Evaluate,
                                  Again,
#ifdef TORQUED_ONE_LANE
                                  &kSimdKernels
#else
                                  &TORQUED_ONE_LANE_TARGET::kSimdKernels
#endif
};

}  // namespace TORQUED_TARGET
}  // namespace torqued

// Compiled once for every target: see core/lanes/targets.cmake. Includes
// nothing that could leave code of this target to others: no standard headers,
// no Eigen.
#include "core/lanes/evaluate_blocks-inl.h"

namespace torqued {
inline namespace TORQUED_TARGET {
namespace {

/// The evaluation stands before what it works in.
template <class N>
constexpr long long kEvaluationBytes =
    (sizeof(BlockEvaluation<N>) + 63) / 64 * 64;

template <class N>
long long EvaluateIn(const BlockJob& job, long long begin, long long end,
                     void* memory, long long bytes, DoubtfulRow* doubtful) {
  if (bytes < kEvaluationBytes<N>) {
    const BlockEvaluation<N> counter(job, nullptr);
    return -kEvaluationBytes<N> - static_cast<long long>(counter.bytes());
  }
  auto* const evaluation = new (memory)
      BlockEvaluation<N>(job, static_cast<char*>(memory) + kEvaluationBytes<N>);
  const long long needed =
      kEvaluationBytes<N> + static_cast<long long>(evaluation->bytes());
  if (needed > bytes) return -needed;
  evaluation->Prepare();
  return evaluation->Run(begin, end, doubtful);
}

long long Again(void* memory, DoubtfulRow* doubtful) {
  return static_cast<BlockEvaluation<double>*>(memory)->Run(0, 1, doubtful);
}

long long Evaluate(const BlockJob* job, long long begin, long long end,
                   void* memory, long long bytes, DoubtfulRow* doubtful) {
#ifndef TORQUED_ONE_LANE
  if (job->single_precision) {
    return EvaluateIn<float>(*job, begin, end, memory, bytes, doubtful);
  }
#endif
  return EvaluateIn<double>(*job, begin, end, memory, bytes, doubtful);
}

}  // namespace

#define TORQUED_TEXT_OF(name) #name
#define TORQUED_TEXT(name) TORQUED_TEXT_OF(name)
#define TORQUED_JOINED(name, end) name##end
#define TORQUED_JOIN(name, end) TORQUED_JOINED(name, end)
#define TORQUED_ONE_LANE_TARGET TORQUED_JOIN(TORQUED_TARGET, _one)

extern const LaneKernels kLaneKernels;

}  // namespace TORQUED_TARGET

#ifndef TORQUED_ONE_LANE
namespace TORQUED_ONE_LANE_TARGET {
extern const LaneKernels kLaneKernels;
}
#endif

inline namespace TORQUED_TARGET {

const LaneKernels kLaneKernels = {TORQUED_TEXT(TORQUED_TARGET),
                                  Pack<double>::kLanes,
                                  Pack<float>::kLanes,
                                  Evaluate,
                                  Again,
#ifdef TORQUED_ONE_LANE
                                  &kLaneKernels
#else
                                  &TORQUED_ONE_LANE_TARGET::kLaneKernels
#endif
};

}  // namespace TORQUED_TARGET
}  // namespace torqued

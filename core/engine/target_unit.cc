// Compiled once for every target: see core/engine/targets.cmake. Includes
// nothing that could leave code of this target to others: no standard headers,
// no Eigen.
#include "core/engine/evaluate_blocks-inl.h"

namespace torqued {
inline namespace TORQUED_TARGET {
namespace {

template <class N>
long long EvaluateIn(const BlockJob& job, long long begin, long long end,
                     void* memory, long long bytes, DoubtfulRow* doubtful) {
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

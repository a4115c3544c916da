// Compiled once for every target: see core/lanes/targets.cmake. Includes
// nothing that could leave code of this target to others: no standard headers,
// no Eigen.
#include "core/lanes/evaluate_blocks-inl.h"
#include "core/lanes/evaluate_parts-inl.h"

namespace torqued {
inline namespace TORQUED_TARGET {
namespace {

template <class N>
long long EvaluateIn(const BlockJob& job, long long begin, long long end,
                     void* memory, long long bytes, DoubtfulRow* doubtful) {
  BlockEvaluation<N> evaluation(job, memory);
  const auto needed = static_cast<long long>(evaluation.bytes());
  return needed <= bytes ? evaluation.Run(begin, end, doubtful) : -needed;
}

long long Evaluate(const BlockJob* job, long long begin, long long end,
                   void* memory, long long bytes, DoubtfulRow* doubtful) {
  const auto evaluate =
      job->single_precision ? EvaluateIn<float> : EvaluateIn<double>;
  if (job->part_count > 1) {
    return PartsEvaluation(*job, evaluate)
        .Run(begin, end, memory, bytes, doubtful);
  }
  return evaluate(*job, begin, end, memory, bytes, doubtful);
}

}  // namespace

#define TORQUED_TEXT_OF(name) #name
#define TORQUED_TEXT(name) TORQUED_TEXT_OF(name)

extern const LaneKernels kLaneKernels;
const LaneKernels kLaneKernels = {TORQUED_TEXT(TORQUED_TARGET),
                                  Pack<double>::kLanes, Pack<float>::kLanes,
                                  Evaluate};

}  // namespace TORQUED_TARGET
}  // namespace torqued

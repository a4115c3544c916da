// Compiled once for every target: see core/lanes/CMakeLists.txt. Includes
// nothing that could leave code of this target to others: no standard headers,
// no Eigen.
#include "core/lanes/evaluate_blocks-inl.h"

namespace torqued {
inline namespace TORQUED_TARGET {
namespace {

unsigned long MemoryBytes(const BlockJob* job) {
  return job->single_precision ? BlockEvaluation<float>::MemoryBytes(*job)
                               : BlockEvaluation<double>::MemoryBytes(*job);
}

long long Evaluate(const BlockJob* job, long long begin, long long end,
                   void* memory, DoubtfulRow* doubtful) {
  if (job->single_precision) {
    return BlockEvaluation<float>(*job, memory).Run(begin, end, doubtful);
  }
  return BlockEvaluation<double>(*job, memory).Run(begin, end, doubtful);
}

}  // namespace

#define TORQUED_TEXT_OF(name) #name
#define TORQUED_TEXT(name) TORQUED_TEXT_OF(name)

extern const LaneKernels kLaneKernels;
const LaneKernels kLaneKernels = {TORQUED_TEXT(TORQUED_TARGET),
                                  Pack<double>::kLanes, Pack<float>::kLanes,
                                  MemoryBytes, Evaluate};

}  // namespace TORQUED_TARGET
}  // namespace torqued

#include "core/dynamics/task_projection-inl.h"

namespace torqued {

template void DynamicallyConsistentInverse(int, int, const double*,
                                           const double*, const double*,
                                           double*, double*);
template void DynamicallyConsistentInverse(int, int, const float*, const float*,
                                           const float*, float*, float*);
template void NullSpaceProjector(int, int, const double*, const double*,
                                 double*);
template void NullSpaceProjector(int, int, const float*, const float*, float*);

}  // namespace torqued

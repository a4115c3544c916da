#include "core/dynamics/task_projection-inl.h"

namespace torqued {

template void DynamicallyConsistentInverse(int, int, const double*,
                                           const double*, const double*,
                                           double*, double*, Pauses*);
template void DynamicallyConsistentInverse(int, int, const float*, const float*,
                                           const float*, float*, float*,
                                           Pauses*);
template void NullSpaceProjector(int, int, const double*, const double*,
                                 double*, Pauses*);
template void NullSpaceProjector(int, int, const float*, const float*, float*,
                                 Pauses*);

}  // namespace torqued

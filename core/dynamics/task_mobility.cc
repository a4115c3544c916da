#include "core/dynamics/task_mobility-inl.h"

namespace torqued {

template void TaskMobility(int, int, const double*, const double*,
                           const double*, const double*, double*, double*,
                           double*);
template void TaskMobility(int, int, const float*, const float*, const float*,
                           const float*, float*, float*, float*);

}  // namespace torqued

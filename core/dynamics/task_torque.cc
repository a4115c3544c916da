#include "core/dynamics/task_torque-inl.h"

namespace torqued {

template void TaskTorque(int, int, const double*, const double*, const double*,
                         const double*, const double*, const double*,
                         const double*, double*, double*);
template void TaskTorque(int, int, const float*, const float*, const float*,
                         const float*, const float*, const float*, const float*,
                         float*, float*);

}  // namespace torqued

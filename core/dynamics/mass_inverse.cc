#include "core/dynamics/mass_inverse-inl.h"

namespace torqued {

template void MassMatrixInverse(int, const double*, double*);
template void MassMatrixInverse(int, const float*, float*);

}  // namespace torqued

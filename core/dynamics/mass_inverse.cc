#include "core/dynamics/mass_inverse-inl.h"

namespace torqued {

template void InvertMassMatrix(const Tree&, const MassInverseScratch<double>&,
                               double*);
template void InvertMassMatrix(const Tree&, const MassInverseScratch<float>&,
                               float*);

}  // namespace torqued

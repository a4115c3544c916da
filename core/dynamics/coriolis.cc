#include "core/dynamics/coriolis-inl.h"

namespace torqued {

template void CoriolisMatrix(const Tree&, const double*, Scratch<double>&,
                             CoriolisScratch<double>&, double*);
template void CoriolisMatrix(const Tree&, const float*, Scratch<float>&,
                             CoriolisScratch<float>&, float*);
template void MassMatrixRate(int, const double*, double*);
template void MassMatrixRate(int, const float*, float*);
template void ChristoffelSymbols(const Tree&, Scratch<double>&, double*);
template void ChristoffelSymbols(const Tree&, Scratch<float>&, float*);

}  // namespace torqued

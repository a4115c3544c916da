#include "core/dynamics/crba-inl.h"

namespace torqued {

template void ComputeCompositeInertias(const Tree&, Scratch<double>&);
template void ComputeCompositeInertias(const Tree&, Scratch<float>&);
template void MassMatrix(const Tree&, Scratch<double>&, double*);
template void MassMatrix(const Tree&, Scratch<float>&, float*);

}  // namespace torqued

#include "core/dynamics/forward_derivatives-inl.h"

namespace torqued {

template void ForwardDynamicsDerivatives(
    const Tree&, const DynamicsTerms&, const double*, const double*,
    const Scratch<double>&, const RneaDerivativesScratch<double>&,
    const ForwardDerivativesScratch<double>&, double*, double*, double*);
template void ForwardDynamicsDerivatives(
    const Tree&, const DynamicsTerms&, const float*, const float*,
    const Scratch<float>&, const RneaDerivativesScratch<float>&,
    const ForwardDerivativesScratch<float>&, float*, float*, float*);
template void SolveForwardDerivatives(const Tree&,
                                      const ForwardDerivativesScratch<double>&,
                                      double*, double*, double*);
template void SolveForwardDerivatives(const Tree&,
                                      const ForwardDerivativesScratch<float>&,
                                      float*, float*, float*);

}  // namespace torqued

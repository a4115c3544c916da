#include "core/dynamics/rnea_derivatives-inl.h"

namespace torqued {

template void InverseDynamicsDerivatives(const Tree&, const DynamicsTerms&,
                                         const double*, const double*,
                                         const Scratch<double>&,
                                         const RneaDerivativesScratch<double>&,
                                         double*, double*, double*,
                                         const BaseMotion<double>*);
template void InverseDynamicsDerivatives(const Tree&, const DynamicsTerms&,
                                         const float*, const float*,
                                         const Scratch<float>&,
                                         const RneaDerivativesScratch<float>&,
                                         float*, float*, float*,
                                         const BaseMotion<float>*);
template void AddHeldWrenchDerivative(const Tree&, int, ReferenceFrame,
                                      const double*, const double*, double*);
template void AddHeldWrenchDerivative(const Tree&, int, ReferenceFrame,
                                      const float*, const float*, float*);

}  // namespace torqued

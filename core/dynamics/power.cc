#include "core/dynamics/power-inl.h"

namespace torqued {

template void PowerBalance(const Tree&, const DynamicsTerms&, const double*,
                           const double*, const AppliedWrenches<double>&,
                           Scratch<double>&, double*, double*,
                           const BaseMotion<double>*);
template void PowerBalance(const Tree&, const DynamicsTerms&, const float*,
                           const float*, const AppliedWrenches<float>&,
                           Scratch<float>&, float*, float*,
                           const BaseMotion<float>*);

}  // namespace torqued

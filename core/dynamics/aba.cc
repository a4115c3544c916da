#include "core/dynamics/aba-inl.h"

namespace torqued {

template void ForwardDynamics(const Tree&, const DynamicsTerms&, const double*,
                              const double*, Scratch<double>&, double*,
                              const BaseMotion<double>*);
template void ForwardDynamics(const Tree&, const DynamicsTerms&, const float*,
                              const float*, Scratch<float>&, float*,
                              const BaseMotion<float>*);

}  // namespace torqued

#include "core/dynamics/rnea-inl.h"

namespace torqued {

template void InverseDynamics(const Tree&, const DynamicsTerms&, const double*,
                              const double*, Scratch<double>&, double*);
template void InverseDynamics(const Tree&, const DynamicsTerms&, const float*,
                              const float*, Scratch<float>&, float*);

}  // namespace torqued

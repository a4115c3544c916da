#include "core/dynamics/regressor-inl.h"

namespace torqued {

template void TorqueRegressor(const Tree&, const DynamicsTerms&, const double*,
                              const double*, Scratch<double>&, double*,
                              const BaseMotion<double>*);
template void TorqueRegressor(const Tree&, const DynamicsTerms&, const float*,
                              const float*, Scratch<float>&, float*,
                              const BaseMotion<float>*);

}  // namespace torqued

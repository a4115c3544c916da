#include "core/dynamics/ldlt-inl.h"

namespace torqued {

template void FactorLdlt(int, double*);
template void FactorLdlt(int, float*);
template void ForwardSubstitute(int, const double*, double*);
template void ForwardSubstitute(int, const float*, float*);
template void SolveLdlt(int, const double*, double*);
template void SolveLdlt(int, const float*, float*);

}  // namespace torqued

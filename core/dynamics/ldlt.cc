#include "core/dynamics/ldlt-inl.h"

namespace torqued {

template void FactorLdlt(int, double*, Pauses*);
template void FactorLdlt(int, float*, Pauses*);
template void ForwardSubstitute(int, const double*, double*, Pauses*);
template void ForwardSubstitute(int, const float*, float*, Pauses*);
template void SolveLdlt(int, const double*, double*, Pauses*);
template void SolveLdlt(int, const float*, float*, Pauses*);

}  // namespace torqued

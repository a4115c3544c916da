#include "core/dynamics/applied_wrenches-inl.h"

namespace torqued {

template void ApplyWrenches(const Tree&, const AppliedWrenches<double>&,
                            Scratch<double>&);
template void ApplyWrenches(const Tree&, const AppliedWrenches<float>&,
                            Scratch<float>&);
template void AddHeldWrenchDerivatives(const Tree&,
                                       const AppliedWrenches<double>&,
                                       const Scratch<double>&, double*);
template void AddHeldWrenchDerivatives(const Tree&,
                                       const AppliedWrenches<float>&,
                                       const Scratch<float>&, float*);

}  // namespace torqued

#include "core/dynamics/rnea-inl.h"

namespace torqued {

template void InverseDynamics(const Tree&, const DynamicsTerms&, const double*,
                              const double*, Scratch<double>&, double*,
                              const BaseMotion<double>*);
template void InverseDynamics(const Tree&, const DynamicsTerms&, const float*,
                              const float*, Scratch<float>&, float*,
                              const BaseMotion<float>*);
template void JointWrenches(const Tree&, const Scratch<double>&, double*);
template void JointWrenches(const Tree&, const Scratch<float>&, float*);
template void BaseReaction(const Tree&, const Scratch<double>&, double*);
template void BaseReaction(const Tree&, const Scratch<float>&, float*);

}  // namespace torqued

#include "core/dynamics/momentum-inl.h"

namespace torqued {

template void CenterOfMass(const Tree&, const Scratch<double>&, double*);
template void CenterOfMass(const Tree&, const Scratch<float>&, float*);
template void CentroidalMomentum(const Tree&, const double*, Scratch<double>&,
                                 double*, double*, double*,
                                 const BaseMotion<double>*);
template void CentroidalMomentum(const Tree&, const float*, Scratch<float>&,
                                 float*, float*, float*,
                                 const BaseMotion<float>*);
template void CentroidalMomentumMatrix(const Tree&, Scratch<double>&, double*);
template void CentroidalMomentumMatrix(const Tree&, Scratch<float>&, float*);
template void CenterOfMassJacobian(const Tree&, const double*, double*);
template void CenterOfMassJacobian(const Tree&, const float*, float*);

}  // namespace torqued

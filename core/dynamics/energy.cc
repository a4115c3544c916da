#include "core/dynamics/energy-inl.h"

namespace torqued {

template double KineticEnergy(const Tree&, const double*, Scratch<double>&,
                              const BaseMotion<double>*);
template float KineticEnergy(const Tree&, const float*, Scratch<float>&,
                             const BaseMotion<float>*);
template double PotentialEnergy(const Tree&, const double*,
                                const Scratch<double>&,
                                const BaseMotion<double>*);
template float PotentialEnergy(const Tree&, const double*,
                               const Scratch<float>&, const BaseMotion<float>*);

}  // namespace torqued

#include "core/dynamics/kinematics-inl.h"

namespace torqued {

template void ComputePlacements(const Tree&, const double*, Scratch<double>&);
template void ComputePlacements(const Tree&, const float*, Scratch<float>&);
template void ComputeWorldPlacements(const Tree&, Scratch<double>&);
template void ComputeWorldPlacements(const Tree&, Scratch<float>&);
template Transform<double> FramePlacement(const Tree&, const BodyFrame&,
                                          const Scratch<double>&);
template Transform<float> FramePlacement(const Tree&, const BodyFrame&,
                                         const Scratch<float>&);

}  // namespace torqued

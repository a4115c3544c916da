#include "core/dynamics/jacobian_rate-inl.h"

namespace torqued {

template void FrameJacobianRate(const Tree&, const BodyFrame&, ReferenceFrame,
                                const double*, Scratch<double>&, double*);
template void FrameJacobianRate(const Tree&, const BodyFrame&, ReferenceFrame,
                                const float*, Scratch<float>&, float*);

}  // namespace torqued

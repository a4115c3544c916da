#include "core/dynamics/jacobian-inl.h"

namespace torqued {

template void FrameJacobian(const Tree&, const BodyFrame&, ReferenceFrame,
                            const Scratch<double>&, double*);
template void FrameJacobian(const Tree&, const BodyFrame&, ReferenceFrame,
                            const Scratch<float>&, float*);
template Wrench<double> WrenchInBody(const Tree&, const BodyFrame&,
                                     ReferenceFrame, const double*,
                                     const Scratch<double>&);
template Wrench<float> WrenchInBody(const Tree&, const BodyFrame&,
                                    ReferenceFrame, const float*,
                                    const Scratch<float>&);

}  // namespace torqued

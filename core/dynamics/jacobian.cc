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
template void ClearWrenches(const Tree&, Scratch<double>&);
template void ClearWrenches(const Tree&, Scratch<float>&);
template void AddWrench(const Tree&, const BodyFrame&, ReferenceFrame,
                        const double*, Scratch<double>&);
template void AddWrench(const Tree&, const BodyFrame&, ReferenceFrame,
                        const float*, Scratch<float>&);

}  // namespace torqued

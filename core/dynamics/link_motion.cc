#include "core/dynamics/link_motion-inl.h"

namespace torqued {

template void ComputeBodyTwists(const Tree&, const double*, Scratch<double>&,
                                const BaseMotion<double>*);
template void ComputeBodyTwists(const Tree&, const float*, Scratch<float>&,
                                const BaseMotion<float>*);
template void ComputeBodyMotions(const Tree&, const double*, const double*,
                                 Scratch<double>&, const BaseMotion<double>*);
template void ComputeBodyMotions(const Tree&, const float*, const float*,
                                 Scratch<float>&, const BaseMotion<float>*);
template void StoreBodyVectors(const Tree&, const Twist<double>*, double*);
template void StoreBodyVectors(const Tree&, const Twist<float>*, float*);
template void FrameTwist(const Tree&, const BodyFrame&, ReferenceFrame,
                         const Scratch<double>&, double*,
                         const BaseMotion<double>*);
template void FrameTwist(const Tree&, const BodyFrame&, ReferenceFrame,
                         const Scratch<float>&, float*,
                         const BaseMotion<float>*);
template void FrameAcceleration(const Tree&, const BodyFrame&, ReferenceFrame,
                                AccelerationKind, const Scratch<double>&,
                                double*, const BaseMotion<double>*);
template void FrameAcceleration(const Tree&, const BodyFrame&, ReferenceFrame,
                                AccelerationKind, const Scratch<float>&, float*,
                                const BaseMotion<float>*);
template void FrameDrift(const Tree&, const BodyFrame&, ReferenceFrame,
                         const double*, Scratch<double>&, double*,
                         const BaseMotion<double>*);
template void FrameDrift(const Tree&, const BodyFrame&, ReferenceFrame,
                         const float*, Scratch<float>&, float*,
                         const BaseMotion<float>*);

}  // namespace torqued

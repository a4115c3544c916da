// The joint torques as a linear function of the inertial parameters that the
// bodies have in their own frames.
#pragma once

#include "core/dynamics/regressor-inl.h"
#include "core/lowered/links-inl.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// Y[n x 10 n], see TorqueRegressor.
template <class T, class N>
TORQUED_ONE_COPY void LoweredRegressor(const LoweredTreeOf<N>& tree,
                                       const LinkMotion<T>* motion,
                                       const PoseRows<T>* X, Twist<T>* screws,
                                       T* Y) {
  const long n = tree.n, columns = kInertialParameters * n;
  for (long k = 0; k < n * columns; ++k) Y[k] = T(0);
  for (long i = 0; i < n; ++i) {
    const Transform<T> C = OwnFrame<T>(tree, i);
    const LinkMotion<T>& m = motion[i];
    // The body's own origin in {i'}.
    const Vec3<T> o = -TransposeTimes(C.R, C.p);
    const ParameterTorques<T> torques(C.R * m.w, C.R * m.wd,
                                      C.R * (m.a + m.B * o));
    PoseRows<T> own = {C.R * X[i].r0, C.R * X[i].r1, C.R * X[i].r2,
                       X[i].p + X[i].Rotate(o)};
    screws[i] = ScrewInBase(tree.bodies[i], X[i]);
    T* const column = Y + kInertialParameters * i;
    // A body loads the joints between it and the base.
    for (long j = i; j != kBase; j = tree.bodies[j].parent) {
      torques.Store(ToChild(own, screws[j]), column + j * columns);
    }
  }
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

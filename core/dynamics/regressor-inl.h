// The joint torques as a linear function of the inertial parameters that the
// bodies have in their own frames (Atkeson, An & Hollerbach 1986).
#pragma once

#include "core/dynamics/links-inl.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// The parameters of a body: m, m c_x, m c_y, m c_z, I_xx, I_xy, I_yy, I_xz,
/// I_yz, I_zz, in body axes, I about the origin of {i}.
inline constexpr int kInertialParameters = 10;

/// A_jᵀ (G V̇ − ad_Vᵀ G V) for unit parameters of a body, from joint j's screw
/// and the motion of the body's origin, all in axes of the body: ω, ω̇, the
/// acceleration a less gravity, and B = [ω̇] + [ω][ω].
///   mass  v_j·a
///   h     a × ω_j + Bᵀ v_j
///   I     ω_j·I ω̇ + (ω_j × ω)·I ω
template <class T>
TORQUED_INLINE void StoreParameterTorques(const LinkMotion<T>& m,
                                          const Twist<T>& screw, T* row) {
  const Vec3<T>&s = screw.w, &b = m.wd, &w = m.w, u = Cross(s, w);
  const Vec3<T> of_h = Cross(m.a, s) + TransposeTimes(m.B, screw.v);
  row[0] = Dot(screw.v, m.a);
  row[1] = of_h.x, row[2] = of_h.y, row[3] = of_h.z;
  row[4] = s.x * b.x + u.x * w.x;                          // xx
  row[5] = s.x * b.y + s.y * b.x + u.x * w.y + u.y * w.x;  // xy
  row[6] = s.y * b.y + u.y * w.y;                          // yy
  row[7] = s.x * b.z + s.z * b.x + u.x * w.z + u.z * w.x;  // xz
  row[8] = s.y * b.z + s.z * b.y + u.y * w.z + u.z * w.y;  // yz
  row[9] = s.z * b.z + u.z * w.z;                          // zz
}

/// Y[n x 10 n], row-major: Y θ is tau without friction, armature and external
/// wrenches, θ the parameters of body 0, then of body 1, ... Torques that a
/// body has no share in are left as they are: zero them once.
template <class T, class N>
TORQUED_ONE_COPY void Regressor(const CompiledTree<N>& tree,
                                const LinkMotion<T>* motion,
                                const PoseRows<T>* X, Twist<T>* screws, T* Y) {
  const long n = tree.n, columns = kInertialParameters * n;
  for (long i = 0; i < n; ++i) {
    const Transform<T> C = OwnFrame<T>(tree, i);
    const LinkMotion<T>& m = motion[i];
    // The body's own origin in {i'}.
    const Vec3<T> o = -TransposeTimes(C.R, C.p);
    LinkMotion<T> turned = {C.R * m.w, C.R * m.wd, C.R * (m.a + m.B * o), {}};
    turned.B = Skew(turned.wd) + Cross(turned.w, Skew(turned.w));
    const PoseRows<T> own = {C.R * X[i].r0, C.R * X[i].r1, C.R * X[i].r2,
                             X[i].p + X[i].Rotate(o)};
    screws[i] = ScrewInBase(tree.bodies[i], X[i]);
    T* const column = Y + kInertialParameters * i;
    // A body loads the joints between it and the base.
    for (long j = i; j != kBase; j = tree.bodies[j].parent) {
      StoreParameterTorques(turned, own.ToChild(screws[j]),
                            column + j * columns);
    }
  }
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

// The joint torques as a linear function of the inertial parameters that the
// bodies have in their own frames (Atkeson, An & Hollerbach 1986).
#pragma once

#include "core/lowered/links-inl.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// Of a body: m, m c_x, m c_y, m c_z, I_xx, I_xy, I_yy, I_xz, I_yz, I_zz, in
/// body axes, I about the origin of {i}.
inline constexpr int kInertialParameters = 10;

/// [α] + [ω][ω] applied to e_k by columns: what a first moment h is multiplied
/// with to give a force.
template <class T>
TORQUED_INLINE Mat3<T> MomentToForce(const Vec3<T>& alpha, const Vec3<T>& w) {
  return Skew(alpha) + Cross(w, Skew(w));
}

/// A_jᵀ (G V̇ − ad_Vᵀ G V) for unit parameters, with joint j's screw in axes of
/// the body that moves with V and V̇:
///   mass  v_j·a,  a = v̇ + ω × v
///   h     a × ω_j + ([ω̇] + [ω][ω])ᵀ v_j
///   I     ω_j·I ω̇ + (ω_j × ω)·I ω
template <class T>
class ParameterTorques {
 public:
  TORQUED_INLINE ParameterTorques(const Twist<T>& V, const Twist<T>& A)
      : ParameterTorques(V.w, A.w, A.v + Cross(V.w, V.v)) {}
  /// a: of the body's origin, less gravity.
  TORQUED_INLINE ParameterTorques(const Vec3<T>& w, const Vec3<T>& alpha,
                                  const Vec3<T>& a)
      : w_(w), alpha_(alpha), a_(a), forces_(MomentToForce(alpha, w)) {}

  TORQUED_INLINE void Store(const Twist<T>& screw, T* row) const {
    const Vec3<T>& s = screw.w;
    row[0] = Dot(screw.v, a_);
    const Vec3<T> of_h = Cross(a_, s) + TransposeTimes(forces_, screw.v);
    row[1] = of_h.x, row[2] = of_h.y, row[3] = of_h.z;
    const Vec3<T>&b = alpha_, &w = w_, u = Cross(s, w);
    row[4] = s.x * b.x + u.x * w.x;                          // xx
    row[5] = s.x * b.y + s.y * b.x + u.x * w.y + u.y * w.x;  // xy
    row[6] = s.y * b.y + u.y * w.y;                          // yy
    row[7] = s.x * b.z + s.z * b.x + u.x * w.z + u.z * w.x;  // xz
    row[8] = s.y * b.z + s.z * b.y + u.y * w.z + u.z * w.y;  // yz
    row[9] = s.z * b.z + u.z * w.z;                          // zz
  }

 private:
  Vec3<T> w_, alpha_, a_;
  Mat3<T> forces_;
};

/// Y[n x 10 n], row-major: Y θ is tau without friction, armature and external
/// wrenches, θ the parameters of body 0, then of body 1, ...
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

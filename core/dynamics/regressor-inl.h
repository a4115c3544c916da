#pragma once

#include "core/dynamics/joint-inl.h"
#include "core/dynamics/link_motion-inl.h"
#include "core/dynamics/regressor.h"
#include "core/dynamics/rnea-inl.h"

namespace torqued {
inline namespace TORQUED_TARGET {

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

template <class T>
void TorqueRegressor(const Tree& tree, const DynamicsTerms& terms, const T* v,
                     const T* a, Scratch<T>& scratch, T* Y,
                     const BaseMotion<T>* base) {
  const int n = tree.n, columns = kInertialParameters * n;
  for (int k = 0; k < n * columns; ++k) Y[k] = T(0);
  const BaseMotion<T> lifted = {base == nullptr ? Twist<T>::Zero() : base->V,
                                BaseAcceleration(terms, base)};
  ComputeBodyMotions(tree, v, a, scratch, &lifted);
  // Twists make room for the joints' screws in base axes, body by body.
  Twist<T>* const screws = scratch.V;
  for (int i = 0; i < n; ++i) {
    const ParameterTorques<T> torques(scratch.V[i], scratch.A[i]);
    const Transform<T>& X = scratch.X_world[i];
    const Twist<T> own = JointTwist(tree.bodies[i], T(1));
    T* const column = Y + kInertialParameters * i;
    torques.Store(own, column + i * columns);
    screws[i] = ToParent(X, own);
    // A body loads the joints between it and the base.
    for (int j = tree.bodies[i].parent; j != kBase; j = tree.bodies[j].parent) {
      torques.Store(ToChild(X, screws[j]), column + j * columns);
    }
  }
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

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

/// Wrenches of G V̇ − ad_Vᵀ G V for unit parameters:
///   mass  (0; a),  a = v̇ + ω × v
///   h     (h × a; ω̇ × h + ω × (ω × h))
///   I     (I ω̇ + ω × I ω; 0)
template <class T>
TORQUED_INLINE void ParameterWrenches(const Twist<T>& V, const Twist<T>& A,
                                      Wrench<T>* F) {
  const Vec3<T> zero = Vec3<T>::Zero();
  const Vec3<T> a = A.v + Cross(V.w, V.v);
  F[0] = {zero, a};
  // e_k × a are the columns of [a]ᵀ.
  const Mat3<T> of_h = Transpose(Skew(a));
  const Mat3<T> forces = MomentToForce(A.w, V.w);
  F[1] = {of_h.c0, forces.c0};
  F[2] = {of_h.c1, forces.c1};
  F[3] = {of_h.c2, forces.c2};
  const Vec3<T>&w = V.w, &b = A.w;
  const T o(0);
  const auto moment = [&w](const Vec3<T>& I_b, const Vec3<T>& I_w)
                          TORQUED_INLINE_BODY { return I_b + Cross(w, I_w); };
  F[4] = {moment({b.x, o, o}, {w.x, o, o}), zero};      // xx
  F[5] = {moment({b.y, b.x, o}, {w.y, w.x, o}), zero};  // xy
  F[6] = {moment({o, b.y, o}, {o, w.y, o}), zero};      // yy
  F[7] = {moment({b.z, o, b.x}, {w.z, o, w.x}), zero};  // xz
  F[8] = {moment({o, b.z, b.y}, {o, w.z, w.y}), zero};  // yz
  F[9] = {moment({o, o, b.z}, {o, o, w.z}), zero};      // zz
}

template <class T>
void TorqueRegressor(const Tree& tree, const DynamicsTerms& terms, const T* v,
                     const T* a, Scratch<T>& scratch, T* Y,
                     const BaseMotion<T>* base) {
  const int n = tree.n, columns = kInertialParameters * n;
  for (int k = 0; k < n * columns; ++k) Y[k] = T(0);
  const BaseMotion<T> lifted = {base == nullptr ? Twist<T>::Zero() : base->V,
                                BaseAcceleration(terms, base)};
  ComputeBodyMotions(tree, v, a, scratch, &lifted);
  for (int i = 0; i < n; ++i) {
    // A body loads the joints between it and the base: τ_j = A_jᵀ F,
    // F_λ = X_jᵀ F.
    Wrench<T> F[kInertialParameters];
    ParameterWrenches(scratch.V[i], scratch.A[i], F);
    for (int j = i;;) {
      const TreeBody& body = tree.bodies[j];
      T* const row = Y + j * columns + kInertialParameters * i;
      for (int k = 0; k < kInertialParameters; ++k) {
        row[k] = JointProjection(body, F[k]);
      }
      if (body.parent == kBase) break;
      for (int k = 0; k < kInertialParameters; ++k) {
        F[k] = ToParent(scratch.X[j], F[k]);
      }
      j = body.parent;
    }
  }
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

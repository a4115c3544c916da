#pragma once

#include "core/dynamics/friction-inl.h"
#include "core/dynamics/joint-inl.h"
#include "core/dynamics/rnea.h"
#include "core/dynamics/store-inl.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// V̇_0 + (0; −g): gravity enters as an upward acceleration of the base.
template <class T>
TORQUED_INLINE Twist<T> BaseAcceleration(const DynamicsTerms& terms,
                                         const BaseMotion<T>* base) {
  const Vec3<T> g = Vec3<T>::Constant(terms.gravity);
  if (base == nullptr) return {Vec3<T>::Zero(), -g};
  return {base->A.w, base->A.v - g - base->g};
}

template <class T>
void InverseDynamics(const Tree& tree, const DynamicsTerms& terms, const T* v,
                     const T* a, Scratch<T>& scratch, T* tau,
                     const BaseMotion<T>* base) {
  const Twist<T> V0 = base == nullptr ? Twist<T>::Zero() : base->V;
  const Twist<T> A0 = BaseAcceleration(terms, base);

  for (int i = 0; i < tree.n; ++i) {
    const TreeBody& body = tree.bodies[i];
    const Twist<T>& V_parent =
        body.parent == kBase ? V0 : scratch.V[body.parent];
    const Twist<T>& A_parent =
        body.parent == kBase ? A0 : scratch.A[body.parent];
    Twist<T> V = ToChild(scratch.X[i], V_parent);
    Twist<T> A = ToChild(scratch.X[i], A_parent);
    if (v != nullptr) {
      // V_i = X_i V_λ + A_i q̇_i;  V̇_i = X_i V̇_λ + ad_{V_i}(A_i) q̇_i + …
      const Twist<T> vj = JointTwist(body, v[i]);
      V += vj;
      A += Bracket(V, vj);
    }
    // … + A_i q̈_i
    if (a != nullptr) A += JointTwist(body, a[i]);
    scratch.V[i] = V;
    scratch.A[i] = A;
    // F_i = G_i V̇_i − ad_{V_i}ᵀ G_i V_i − W_i
    const SpatialInertia<T> G = BodyInertia<T>(body);
    Wrench<T> F = G * A + MinusAdTranspose(V, G * V);
    if (terms.external_wrenches) F = F - scratch.W[i];
    scratch.F[i] = F;
  }

  for (int i = tree.n - 1; i >= 0; --i) {
    const TreeBody& body = tree.bodies[i];
    // τ_i = A_iᵀ F_i + armature q̈_i + friction
    T t = JointProjection(body, scratch.F[i]);
    if (a != nullptr) t = t + T(body.armature) * a[i];
    if (v != nullptr) {
      t = t + JointFriction(body, terms, v[i]);
    }
    tau[i] = t;
    // F_λ += X_iᵀ F_i
    if (body.parent != kBase) {
      scratch.F[body.parent] += ToParent(scratch.X[i], scratch.F[i]);
    }
  }
}

template <class T>
void JointWrenches(const Tree& tree, const Scratch<T>& scratch, T* wrenches) {
  for (int i = 0; i < tree.n; ++i) Store(scratch.F[i], wrenches + 6 * i);
}

template <class T>
void BaseReaction(const Tree& tree, const Scratch<T>& scratch, T* wrench) {
  Wrench<T> sum = Wrench<T>::Zero();
  for (int i = 0; i < tree.n; ++i) {
    if (tree.bodies[i].parent == kBase) {
      sum += ToParent(scratch.X[i], scratch.F[i]);
    }
  }
  Store(sum, wrench);
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

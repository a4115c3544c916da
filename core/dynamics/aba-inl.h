#pragma once

#include "core/dynamics/aba.h"
#include "core/dynamics/friction-inl.h"
#include "core/dynamics/joint-inl.h"
#include "core/dynamics/link_motion-inl.h"
#include "core/dynamics/rnea-inl.h"

namespace torqued {
inline namespace TORQUED_TARGET {

template <class T>
void ForwardDynamics(const Tree& tree, const DynamicsTerms& terms, const T* v,
                     const T* tau, Scratch<T>& scratch, T* a,
                     const BaseMotion<T>* base) {
  ComputeBodyTwists(tree, v, scratch, base);
  for (int i = 0; i < tree.n; ++i) {
    const TreeBody& body = tree.bodies[i];
    const SpatialInertia<T> G = BodyInertia<T>(body);
    const Twist<T>& V = scratch.V[i];
    // p_i = −ad_{V_i}ᵀ G_i V_i − W_i
    Wrench<T> p = MinusAdTranspose(V, G * V);
    if (terms.external_wrenches) p = p - scratch.W[i];
    scratch.F[i] = p;
    scratch.Ga[i] = ArticulatedInertia<T>::From(G);
  }

  for (int i = tree.n - 1; i >= 0; --i) {
    const TreeBody& body = tree.bodies[i];
    // U = Ĝ A;  d = Aᵀ U + armature;  u = τ − friction − Aᵀ p
    const Wrench<T> U = scratch.Ga[i] * JointTwist(body, T(1));
    const T d = JointProjection(body, U) + T(body.armature);
    T u = tau[i] - JointProjection(body, scratch.F[i]);
    if (v != nullptr) {
      u = u - JointFriction(body, terms, v[i]);
    }
    scratch.U[i] = U;
    scratch.d[i] = d;
    scratch.u[i] = u;
    if (body.parent != kBase) {
      // Ĝᵃ = Ĝ − U Uᵀ / d;  pᵃ = p + Ĝᵃ ζ + U u / d,  ζ = ad_{V_i}(A_i) q̇_i
      const T inverse = T(1) / d;
      const ArticulatedInertia<T> Ga = Downdate(scratch.Ga[i], U, inverse);
      Wrench<T> p = scratch.F[i] + U * (u * inverse);
      if (v != nullptr) {
        p += Ga * Bracket(scratch.V[i], JointTwist(body, v[i]));
      }
      scratch.Ga[body.parent] += ToParent(scratch.X[i], Ga);
      scratch.F[body.parent] += ToParent(scratch.X[i], p);
    }
  }

  const Twist<T> A0 = BaseAcceleration(terms, base);
  for (int i = 0; i < tree.n; ++i) {
    const TreeBody& body = tree.bodies[i];
    // a' = X_i V̇_λ + ζ;  q̈ = (u − Uᵀ a') / d;  V̇_i = a' + A q̈
    Twist<T> A = ToChild(scratch.X[i],
                         body.parent == kBase ? A0 : scratch.A[body.parent]);
    if (v != nullptr) A += Bracket(scratch.V[i], JointTwist(body, v[i]));
    a[i] = (scratch.u[i] - Dot(scratch.U[i], A)) / scratch.d[i];
    scratch.A[i] = A + JointTwist(body, a[i]);
  }
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

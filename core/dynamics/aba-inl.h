// Forward dynamics of a compiled tree by articulated bodies (Featherstone 2008,
// chapter 7), from what the bias forces leave of the joint forces: bodies at
// rest without gravity.
#pragma once

#include "core/dynamics/crba-inl.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// Ĝ about a point at −p, for a displacement along one axis:
/// N' = N + [p] C and A' = A + [p] Nᵀ − N' [p].
template <int kAxis, class T>
TORQUED_INLINE void ShiftArticulated(const T& p, ArticulatedInertia<T>& G) {
  constexpr int i = kAxis, j = (kAxis + 1) % 3, k = (kAxis + 2) % 3;
  const T N_jk = G.N(j, k), N_kj = G.N(k, j), N_kk = G.N(k, k);
  G.N(j, i) -= p * G.C(k, i);
  G.N(j, j) -= p * G.C(k, j);
  G.N(j, k) -= p * G.C(k, k);
  G.N(k, i) += p * G.C(j, i);
  G.N(k, j) += p * G.C(j, j);
  G.N(k, k) += p * G.C(j, k);
  G.A(i, j) -= p * G.N(i, k);
  G.A(i, k) += p * G.N(i, j);
  G.A(j, j) -= p * (N_jk + G.N(j, k));
  G.A(j, k) += p * (G.N(j, j) - N_kk);
  G.A(k, k) += p * (N_kj + G.N(k, j));
}

/// The articulated inertia of a body as its parent's frame has it.
template <class Joint, class T>
TORQUED_INLINE void ArticulatedToParent(const Joint& joint,
                                        ArticulatedInertia<T>& G) {
  if (joint.Slides()) ShiftArticulated<2>(joint.q, G);
  RotateZ(joint, G.A);
  RotateZ(joint, G.C);
  ApplyFixedRotation(joint, G.A);
  ApplyFixedRotation(joint, G.C);
  RotateBothSides(joint, G.N);
  const Vec3<T> p = Vec3<T>::Constant(joint.body.p);
  if (joint.Shifts(0)) ShiftArticulated<0>(p.x, G);
  if (joint.Shifts(1)) ShiftArticulated<1>(p.y, G);
  if (joint.Shifts(2)) ShiftArticulated<2>(p.z, G);
}

/// x ← M⁻¹ x, n numbers; armature included. Leaves the pivots, which are those
/// of M = Lᵀ D L (Featherstone 2008, section 6.5), in `scratch.pivot`.
template <class T, class N>
TORQUED_ONE_COPY void Aba(const CompiledTree<N>& tree,
                          const Configuration<T>& state,
                          const RecursionScratch<T>& scratch, T* x) {
  const CompiledBody<N>* const bodies = tree.bodies;
  const Joints joints(tree, state);
  // From the leaves to the roots: pivots d = AᵀU + armature with U = Ĝ A, and
  // U / d and u / d of every joint.
  ArticulatedBody<T> carried;
  bool carries = false;
  for (long i = tree.n - 1; i >= 0; --i) {
    const CompiledBody<N>& body = bodies[i];
    ArticulatedBody<T> sum = {OwnInertia<T>(body), Wrench<T>::Zero()};
    if (carries) {
      sum.G += carried.G;
      sum.p = carried.p;
    } else if (body.branches) {
      sum.G += scratch.articulated[body.slot].G;
      sum.p = scratch.articulated[body.slot].p;
    }
    const ArticulatedInertia<T>& G = sum.G;
    const Wrench<T> U = TimesScrew(G, body);
    const T d = OfJoint(body, U) + T(body.armature);
    const T u = x[i] - OfJoint(body, sum.p);
    const T inverse = T(1) / d;
    scratch.pivot[i] = d;
    scratch.F[i] = U * inverse;
    scratch.u[i] = u * inverse;
    carries = body.parent == i - 1 && body.parent != kBase;
    if (body.parent == kBase) continue;
    sum.G = Downdate(G, U, inverse);
    sum.p += scratch.F[i] * u;
    joints.With(i, [&](const auto& joint) TORQUED_INLINE_BODY {
      ArticulatedToParent(joint, sum.G);
      sum.p = WrenchToParent(joint, sum.p);
    });
    if (bodies[body.parent].branches) {
      carries = false;
      ArticulatedBody<T>& of_parent =
          scratch.articulated[bodies[body.parent].slot];
      if (body.last_child) {
        of_parent = sum;
      } else {
        of_parent.G += sum.G;
        of_parent.p += sum.p;
      }
    } else {
      carried = sum;
    }
  }

  // From the roots to the leaves: q̈ = u / d − (U / d)ᵀ V̇.
  Twist<T> A = Twist<T>::Zero();
  for (long i = 0; i < tree.n; ++i) {
    const CompiledBody<N>& body = bodies[i];
    if (body.parent == kBase) {
      A = Twist<T>::Zero();
      x[i] = scratch.u[i];
    } else {
      const CompiledBody<N>& parent = bodies[body.parent];
      if (parent.branches) A = scratch.acceleration[parent.slot];
      joints.With(i, [&](const auto& joint)
                         TORQUED_INLINE_BODY { TwistToChild(joint, A); });
      x[i] = scratch.u[i] - Dot(scratch.F[i], A);
    }
    AddAlongJoint(joints[i], x[i], A);
    if (body.branches) scratch.acceleration[body.slot] = A;
  }
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

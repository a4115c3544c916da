// Inverse dynamics on a lowered tree: recursive Newton-Euler (Featherstone
// 2008, section 5.3) with accelerations of points instead of spatial ones.
#pragma once

#include "core/dynamics/friction-inl.h"
#include "core/lowered/joint-inl.h"
#include "core/lowered/motion-inl.h"
#include "core/lowered/scratch.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// The wrench that the body's own kept inertia needs, f = (B, a) Σ.
template <class Step, class T, class N>
TORQUED_INLINE Wrench<T> InertialWrench(Step step, const LoweredBody<N>& body,
                                        const LinkMotion<T>& m) {
  const Mat3<T>& B = m.B;
  const Vec3<T>& a = m.a;
  const T hx(body.h[0]), hy(body.h[1]);
  if (!step.IsRevolute(body)) {
    const T hz(body.h[2]);
    return {{Fma(a.z, hy, -(a.y * hz)), Fma(a.x, hz, -(a.z * hx)),
             Fma(a.y, hx, -(a.x * hy))},
            Fma(a, T(body.mass), B.c0 * hx) + B.c1 * hy + B.c2 * hz};
  }
  const T xx(body.S[0]), xy(body.S[1]), xz(body.S[2]), yy(body.S[3]),
      yz(body.S[4]);
  // B.c<column>.<row>
  return {{Fma(a.z, hy, B.c0.z * xy) + B.c1.z * yy - B.c0.y * xz +
               (B.c2.z - B.c1.y) * yz,
           Fma(B.c0.x - B.c2.z, xz, B.c1.x * yz) - a.z * hx - B.c0.z * xx -
               B.c1.z * xy,
           Fma(a.y, hx, -(a.x * hy)) + B.c0.y * xx + (B.c1.y - B.c0.x) * xy +
               B.c2.y * xz - B.c1.x * yy - B.c2.x * yz},
          Fma(B.c0, hx, B.c1 * hy)};
}

/// Of a root on a base at rest, whose joint feels one component of it alone.
template <class T, class N>
TORQUED_INLINE Wrench<T> InertialWrenchOfRoot(const LoweredBody<N>& body,
                                              const T& acceleration,
                                              const LinkMotion<T>& m) {
  Wrench<T> F = Wrench<T>::Zero();
  if (body.motion == JointMotion::kRevolute) {
    F.m.z = acceleration * T(body.S[0] + body.S[3]) + m.a.y * T(body.h[0]) -
            m.a.x * T(body.h[1]);
  } else {
    F.f.z = m.a.z * T(body.mass);
  }
  return F;
}

/// The motion of all bodies, and in `scratch.F` what their inertias need: on a
/// base at rest, of the roots one component alone.
template <bool kChain, bool kBaseMoves, class T, class N>
TORQUED_INLINE void ForwardPass(const LoweredTreeOf<N>& tree,
                                const LoweredTerms<T>& terms,
                                const LoweredState<T>& state,
                                const LoweredScratch<T>& scratch, int watched,
                                LinkMotion<T>* watched_motion) {
  const LoweredBody<N>* const bodies = tree.bodies;
  const int n = tree.n;
  const T *s = state.s, *c = state.c, *q = state.q, *v = state.v, *a = state.a;
  Wrench<T>* const F = scratch.F;
  LinkMotion<T> m, of_base;
  if constexpr (kBaseMoves) of_base = MotionOfBase(*terms.base, terms.gravity);
  for (int i = 0; i < n; ++i) {
    const LoweredBody<N>& body = bodies[i];
    const long parent = ParentOf<kChain>(body, i);
    if (!kBaseMoves && parent == kBase) {
      m = MoveRoot(body, terms.gravity, s[i], c[i], v[i], a[i]);
      F[i] = InertialWrenchOfRoot(body, a[i], m);
    } else {
      if (kBaseMoves && parent == kBase) {
        m = of_base;
      } else if (parent != i - 1) {
        m = scratch.motion[bodies[parent].slot];
      }
      WithStep(body, [&](auto step) TORQUED_INLINE_BODY {
        MoveChild(step, body, s[i], c[i], q[i], v[i], a[i], m);
        F[i] = InertialWrench(step, body, m);
      });
    }
    if (!kChain && body.branches) scratch.motion[body.slot] = m;
    if (i == watched) *watched_motion = m;
  }
}

/// From the wrenches that the bodies' inertias need to joint torques.
template <bool kChain, class T, class N>
TORQUED_INLINE void InwardPass(const LoweredTreeOf<N>& tree,
                               const LoweredState<T>& state,
                               const LoweredScratch<T>& scratch, T* tau) {
  const LoweredBody<N>* const bodies = tree.bodies;
  const T *s = state.s, *c = state.c, *q = state.q, *a = state.a;
  Wrench<T>* const own = scratch.F;
  if (tree.n == 0) return;
  // The wrench through joint i, in {i'}.
  Wrench<T> F = own[tree.n - 1];
  for (int i = tree.n - 1; i >= 0; --i) {
    const LoweredBody<N>& body = bodies[i];
    const long parent = ParentOf<kChain>(body, i);
    const bool revolute = body.motion == JointMotion::kRevolute;
    tau[i] = (revolute ? F.m.z : F.f.z) + T(body.armature) * a[i];
    if (parent != kBase) {
      WithStep(body, [&](auto step) TORQUED_INLINE_BODY {
        F = AddWrenchToParent(step, body, s[i], c[i], q[i], F, own[parent]);
      });
      if (parent == i - 1) continue;
      own[parent] = F;
    }
    if (i > 0) F = own[i - 1];
  }
}

/// tau[n]. Armature is part of M. Where `watched` is a body, its motion is left
/// in `watched_motion`.
template <class T, class N>
TORQUED_ONE_COPY void LoweredInverseDynamics(const LoweredTreeOf<N>& tree,
                                             const LoweredTerms<T>& terms,
                                             const LoweredState<T>& state,
                                             const LoweredScratch<T>& scratch,
                                             T* tau, int watched,
                                             LinkMotion<T>* watched_motion) {
  if (terms.base != nullptr) {
    ForwardPass<false, true>(tree, terms, state, scratch, watched,
                             watched_motion);
  } else if (tree.chain) {
    ForwardPass<true, false>(tree, terms, state, scratch, watched,
                             watched_motion);
  } else {
    ForwardPass<false, false>(tree, terms, state, scratch, watched,
                              watched_motion);
  }
  for (int k = 0; k < terms.wrench_count; ++k) {
    Wrench<T>& own = scratch.F[terms.wrenches[k].body];
    own = own - terms.wrenches[k].W;
  }
  if (tree.chain) {
    InwardPass<true>(tree, state, scratch, tau);
  } else {
    InwardPass<false>(tree, state, scratch, tau);
  }

  if (terms.viscous_friction || terms.coulomb_friction) {
    for (int i = 0; i < tree.n; ++i) {
      tau[i] += JointFriction(tree.bodies[i], terms, state.v[i]);
    }
  }
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

// Inverse dynamics on a lowered tree: recursive Newton-Euler (Featherstone
// 2008, section 5.3) with accelerations of points instead of spatial ones.
#pragma once

#include "core/lowered/joint-inl.h"
#include "core/lowered/motion-inl.h"
#include "core/lowered/scratch.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// The wrench that the body's own kept inertia needs, f = (B, a) Σ.
template <class T, class N>
TORQUED_INLINE Wrench<T> InertialWrench(const LoweredBody<N>& body,
                                        const LinkMotion<T>& m) {
  const Mat3<T>& B = m.B;
  const Vec3<T>& a = m.a;
  const T hx(body.h[0]), hy(body.h[1]);
  if (body.motion == JointMotion::kPrismatic) {
    const T hz(body.h[2]);
    return {{a.z * hy - a.y * hz, a.x * hz - a.z * hx, a.y * hx - a.x * hy},
            a * T(body.mass) + B.c0 * hx + B.c1 * hy + B.c2 * hz};
  }
  const T xx(body.S[0]), xy(body.S[1]), xz(body.S[2]), yy(body.S[3]),
      yz(body.S[4]);
  // B.c<column>.<row>
  return {{a.z * hy + B.c0.z * xy + B.c1.z * yy - B.c0.y * xz +
               (B.c2.z - B.c1.y) * yz,
           (B.c0.x - B.c2.z) * xz + B.c1.x * yz - a.z * hx - B.c0.z * xx -
               B.c1.z * xy,
           a.y * hx - a.x * hy + B.c0.y * xx + (B.c1.y - B.c0.x) * xy +
               B.c2.y * xz - B.c1.x * yy - B.c2.x * yz},
          B.c0 * hx + B.c1 * hy};
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
  LinkMotion<T> m;
  for (int i = 0; i < tree.n; ++i) {
    const LoweredBody<N>& body = tree.bodies[i];
    const int parent = body.parent;
    if (parent == kBase) {
      m = MoveRoot(body, terms.gravity, state.s[i], state.c[i], state.v[i],
                   state.a[i]);
    } else {
      if (tree.bodies[parent].branches) {
        m = scratch.motion[tree.bodies[parent].slot];
      }
      MoveChild(body, state.s[i], state.c[i], state.q[i], state.v[i],
                state.a[i], m);
    }
    if (body.branches) scratch.motion[body.slot] = m;
    if (i == watched) *watched_motion = m;
    scratch.F[i] = InertialWrench(body, m);
  }
  if (terms.wrench_body != kBase) {
    scratch.F[terms.wrench_body] = scratch.F[terms.wrench_body] - terms.wrench;
  }

  Wrench<T> carried = Wrench<T>::Zero();
  for (int i = tree.n - 1; i >= 0; --i) {
    const LoweredBody<N>& body = tree.bodies[i];
    Wrench<T> F = scratch.F[i] + carried;
    const bool revolute = body.motion == JointMotion::kRevolute;
    tau[i] = (revolute ? F.m.z : F.f.z) + T(body.armature) * state.a[i];
    if (body.parent == kBase) {
      carried = Wrench<T>::Zero();
      continue;
    }
    if (!revolute) {
      F.m.x -= state.q[i] * F.f.y;
      F.m.y += state.q[i] * F.f.x;
    }
    F.f = SpinToParent(state.s[i], state.c[i], F.f);
    F.m = SpinToParent(state.s[i], state.c[i], F.m);
    TurnToParent(body, F.f, F.m);
    F.m = AddShiftCross(body, F.m, F.f);
    if (body.parent == i - 1) {
      carried = F;
    } else {
      scratch.F[body.parent] += F;
      carried = Wrench<T>::Zero();
    }
  }

  if (terms.viscous_friction || terms.coulomb_friction) {
    for (int i = 0; i < tree.n; ++i) {
      const LoweredBody<N>& body = tree.bodies[i];
      if (terms.viscous_friction) {
        tau[i] += T(body.viscous_friction) * state.v[i];
      }
      if (terms.coulomb_friction) {
        tau[i] += T(body.coulomb_friction) * Sign(state.v[i]);
      }
    }
  }
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

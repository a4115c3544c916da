// Forward dynamics of a lowered tree by articulated bodies (Featherstone 2008,
// chapter 7), from what the bias forces leave of the joint forces: bodies at
// rest without gravity.
#pragma once

#include "core/lowered/crba-inl.h"
#include "core/lowered/joint-inl.h"
#include "core/lowered/scratch.h"
#include "core/spatial/inertia.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// Component 0, 1 or 2.
template <int kAxis, class T>
TORQUED_INLINE T& At(Vec3<T>& v) {
  if constexpr (kAxis == 0) {
    return v.x;
  } else if constexpr (kAxis == 1) {
    return v.y;
  } else {
    return v.z;
  }
}
template <int kRow, int kColumn, class T>
TORQUED_INLINE T& At(Mat3<T>& m) {
  if constexpr (kColumn == 0) {
    return At<kRow>(m.c0);
  } else if constexpr (kColumn == 1) {
    return At<kRow>(m.c1);
  } else {
    return At<kRow>(m.c2);
  }
}
template <int kRow, int kColumn, class T>
TORQUED_INLINE T& At(Sym3<T>& m) {
  if constexpr (kRow > kColumn) {
    return At<kColumn, kRow>(m);
  } else if constexpr (kRow == kColumn) {
    if constexpr (kRow == 0) {
      return m.xx;
    } else if constexpr (kRow == 1) {
      return m.yy;
    } else {
      return m.zz;
    }
  } else if constexpr (kRow == 1) {
    return m.yz;
  } else if constexpr (kColumn == 1) {
    return m.xy;
  } else {
    return m.xz;
  }
}

/// Ĝ about a point at −p, for a displacement along one axis:
/// N' = N + [p] C and A' = A + [p] Nᵀ − N' [p].
template <int kAxis, class T>
TORQUED_INLINE void ShiftArticulated(const T& p, ArticulatedInertia<T>& G) {
  constexpr int i = kAxis, j = (kAxis + 1) % 3, k = (kAxis + 2) % 3;
  const T N_jk = At<j, k>(G.N), N_kj = At<k, j>(G.N), N_kk = At<k, k>(G.N);
  At<j, i>(G.N) -= p * At<k, i>(G.C);
  At<j, j>(G.N) -= p * At<k, j>(G.C);
  At<j, k>(G.N) -= p * At<k, k>(G.C);
  At<k, i>(G.N) += p * At<j, i>(G.C);
  At<k, j>(G.N) += p * At<j, j>(G.C);
  At<k, k>(G.N) += p * At<j, k>(G.C);
  At<i, j>(G.A) -= p * At<i, k>(G.N);
  At<i, k>(G.A) += p * At<i, j>(G.N);
  At<j, j>(G.A) -= p * (N_jk + At<j, k>(G.N));
  At<j, k>(G.A) += p * (At<j, j>(G.N) - N_kk);
  At<k, k>(G.A) += p * (N_kj + At<k, j>(G.N));
}

/// M ← R M Rᵀ, where `turn` replaces a vector v by R v.
template <class T, class Turn>
TORQUED_INLINE void TurnBothSides(const Turn& turn, Mat3<T>& M) {
  turn(M.c0), turn(M.c1), turn(M.c2);
  M = Transpose(M);
  turn(M.c0), turn(M.c1), turn(M.c2);
  M = Transpose(M);
}

/// The articulated inertia of a body as its parent's frame has it.
template <class Step, class T, class N>
TORQUED_INLINE void ArticulatedToParent(Step step, const LoweredBody<N>& body,
                                        const T& s, const T& c, const T& q,
                                        ArticulatedInertia<T>& G) {
  if (!step.IsRevolute(body)) ShiftArticulated<2>(q, G);
  G.A = SpinToParent(s, c, G.A);
  G.C = SpinToParent(s, c, G.C);
  TurnToParent(step, body, G.A);
  TurnToParent(step, body, G.C);
  const auto turn = [&](Vec3<T>& v) TORQUED_INLINE_BODY {
    v = SpinToParent(s, c, v);
    TurnToParent(step, body, v);
  };
  TurnBothSides(turn, G.N);
  if (step.Shifts(body, 0)) ShiftArticulated<0>(T(body.p[0]), G);
  if (step.Shifts(body, 1)) ShiftArticulated<1>(T(body.p[1]), G);
  if (step.Shifts(body, 2)) ShiftArticulated<2>(T(body.p[2]), G);
}

/// What the body keeps of its inertia: A = tr(S) 1 − S, N = [h], C = m 1.
template <class T, class N>
TORQUED_INLINE ArticulatedInertia<T> OwnInertia(const LoweredBody<N>& body) {
  return {{T(body.S[3]), T(-body.S[1]), T(-body.S[2]), T(body.S[0]),
           T(-body.S[4]), T(body.S[0] + body.S[3])},
          Skew(Vec3<T>{T(body.h[0]), T(body.h[1]), T(body.h[2])}),
          Sym3<T>::Scaled(T(body.mass))};
}

/// From the leaves to the roots: pivots d = AᵀU + armature with U = Ĝ A, and
/// U / d and u / d of every joint.
template <class T, class N>
TORQUED_INLINE void ArticulateInward(const LoweredTreeOf<N>& tree,
                                     const LoweredState<T>& state,
                                     const LoweredScratch<T>& scratch,
                                     const T* residual) {
  const LoweredBody<N>* const bodies = tree.bodies;
  const T *s = state.s, *c = state.c, *q = state.q;
  ArticulatedBody<T> carried;
  bool carries = false;
  for (long i = tree.n - 1; i >= 0; --i) {
    const LoweredBody<N>& body = bodies[i];
    const bool revolute = body.motion == JointMotion::kRevolute;
    ArticulatedBody<T> sum = {OwnInertia<T>(body), Wrench<T>::Zero()};
    if (carries) {
      sum.G += carried.G;
      sum.p = carried.p;
    } else if (body.branches) {
      sum.G += scratch.articulated[body.slot].G;
      sum.p = scratch.articulated[body.slot].p;
    }
    const ArticulatedInertia<T>& G = sum.G;
    const Wrench<T> U = revolute ? Wrench<T>{{G.A.xz, G.A.yz, G.A.zz},
                                             {G.N.c0.z, G.N.c1.z, G.N.c2.z}}
                                 : Wrench<T>{G.N.c2, {G.C.xz, G.C.yz, G.C.zz}};
    const T d = (revolute ? U.m.z : U.f.z) + T(body.armature);
    const T u = residual[i] - (revolute ? sum.p.m.z : sum.p.f.z);
    const T inverse = T(1) / d;
    scratch.pivot[i] = d;
    scratch.F[i] = U * inverse;
    scratch.u[i] = u * inverse;
    carries = body.parent == i - 1 && body.parent != kBase;
    if (body.parent == kBase) continue;
    sum.G = Downdate(G, U, inverse);
    sum.p += scratch.F[i] * u;
    WithStep(body, [&](auto step) TORQUED_INLINE_BODY {
      ArticulatedToParent(step, body, s[i], c[i], q[i], sum.G);
      sum.p = WrenchToParent(step, body, s[i], c[i], q[i], sum.p);
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
}

/// From the roots to the leaves: q̈ = u / d − (U / d)ᵀ V̇.
template <class T, class N>
TORQUED_INLINE void AccelerateOutward(const LoweredTreeOf<N>& tree,
                                      const LoweredState<T>& state,
                                      const LoweredScratch<T>& scratch, T* a) {
  const LoweredBody<N>* const bodies = tree.bodies;
  const T *s = state.s, *c = state.c, *q = state.q;
  Twist<T> A = Twist<T>::Zero();
  for (long i = 0; i < tree.n; ++i) {
    const LoweredBody<N>& body = bodies[i];
    if (body.parent == kBase) {
      A = Twist<T>::Zero();
      a[i] = scratch.u[i];
    } else {
      const LoweredBody<N>& parent = bodies[body.parent];
      if (parent.branches) A = scratch.acceleration[parent.slot];
      WithStep(body, [&](auto step) TORQUED_INLINE_BODY {
        TwistToChild(step, body, s[i], c[i], q[i], A);
      });
      a[i] = scratch.u[i] - Dot(scratch.F[i], A);
    }
    AddAlongJoint(AnyStep{}, body, a[i], A);
    if (body.branches) scratch.acceleration[body.slot] = A;
  }
}

/// x ← M⁻¹ x, n numbers; armature included. Leaves the pivots, which are those
/// of M = Lᵀ D L (Featherstone 2008, section 6.5), in `scratch.pivot`.
template <class T, class N>
TORQUED_ONE_COPY void LoweredSolve(const LoweredTreeOf<N>& tree,
                                   const LoweredState<T>& state,
                                   const LoweredScratch<T>& scratch, T* x) {
  ArticulateInward(tree, state, scratch, x);
  AccelerateOutward(tree, state, scratch, x);
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

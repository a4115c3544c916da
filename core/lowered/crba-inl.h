// Mass matrix of a lowered tree by composite bodies (Featherstone 2008, section
// 6.2), carried as moments: the composite mass is a constant of the model.
#pragma once

#include "core/lowered/joint-inl.h"
#include "core/lowered/scratch.h"
#include "core/spatial/packed.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// Rz(θ) S Rz(θ)ᵀ.
template <class T>
TORQUED_INLINE Sym3<T> SpinToParent(const T& s, const T& c, const Sym3<T>& S) {
  // The xx, xy, yy block keeps its trace.
  const T u = Fma(c, S.xx, -(s * S.xy)), w = Fma(c, S.xy, -(s * S.yy));
  const T xx = Fma(c, u, -(s * w));
  const T xy = Fma(s, u, c * w);
  return {xx,
          xy,
          Fma(c, S.xz, -(s * S.yz)),
          S.xx + S.yy - xx,
          Fma(s, S.xz, c * S.yz),
          S.zz};
}

/// R_T S R_Tᵀ.
template <class Step, class T, class N>
TORQUED_INLINE void TurnToParent(Step step, const LoweredBody<N>& body,
                                 Sym3<T>& S) {
  switch (step.TurnOf(body)) {
    case Turn::kQuarter:
      S = {S.xx, -S.xz, S.xy, S.zz, -S.yz, S.yy};
      return;
    case Turn::kNone:
      return;
    case Turn::kHalf:
      S.xy = -S.xy;
      S.xz = -S.xz;
      return;
    case Turn::kAboutX: {
      const T c(body.cos_turn), s(body.sin_turn);
      const T u = Fma(c, S.yy, -(s * S.yz)), w = Fma(c, S.yz, -(s * S.zz));
      const T yy = Fma(c, u, -(s * w));
      S = {S.xx, Fma(c, S.xy, -(s * S.xz)), Fma(s, S.xy, c * S.xz),
           yy,   Fma(s, u, c * w),          S.yy + S.zz - yy};
      return;
    }
    case Turn::kFull:
      S = Congruence(Mat3<T>{{T(body.R[0]), T(body.R[3]), T(body.R[6])},
                             {T(body.R[1]), T(body.R[4]), T(body.R[7])},
                             {T(body.R[2]), T(body.R[5]), T(body.R[8])}},
                     S);
      return;
  }
}

/// S ← S + h pᵀ + p hᵀ + m p pᵀ and h ← h + m p: moments about a point at −p.
/// For a displacement along one axis.
template <int kAxis, class T>
TORQUED_INLINE void ShiftMoments(const T& p, const T& mass,
                                 CompositeMoments<T>& sum) {
  const T mp = mass * p;
  if constexpr (kAxis == 0) {
    const T k = sum.h.x + sum.h.x + mp;
    sum.S.xx += k * p;
    sum.S.xy += sum.h.y * p;
    sum.S.xz += sum.h.z * p;
    sum.h.x += mp;
  } else if constexpr (kAxis == 1) {
    const T k = sum.h.y + sum.h.y + mp;
    sum.S.yy += k * p;
    sum.S.xy += sum.h.x * p;
    sum.S.yz += sum.h.z * p;
    sum.h.y += mp;
  } else {
    const T k = sum.h.z + sum.h.z + mp;
    sum.S.zz += k * p;
    sum.S.xz += sum.h.x * p;
    sum.S.yz += sum.h.y * p;
    sum.h.z += mp;
  }
}

/// The composite moments of a body as its parent sees them, or their rate,
/// whose mass is zero.
template <class Step, class T, class N>
TORQUED_INLINE void MomentsToParent(Step step, const LoweredBody<N>& body,
                                    const T& mass, const T& s, const T& c,
                                    const T& q, CompositeMoments<T>& sum) {
  if (!step.IsRevolute(body)) ShiftMoments<2>(q, mass, sum);
  sum.S = SpinToParent(s, c, sum.S);
  sum.h = SpinToParent(s, c, sum.h);
  TurnToParent(step, body, sum.S);
  TurnToParent(step, body, sum.h);
  // One axis after the other is one displacement: the moments add up.
  if (step.Shifts(body, 0)) ShiftMoments<0>(T(body.p[0]), mass, sum);
  if (step.Shifts(body, 1)) ShiftMoments<1>(T(body.p[1]), mass, sum);
  if (step.Shifts(body, 2)) ShiftMoments<2>(T(body.p[2]), mass, sum);
}

template <class T, class N>
TORQUED_INLINE CompositeMoments<T> OwnMoments(const LoweredBody<N>& body) {
  return {{T(body.S[0]), T(body.S[1]), T(body.S[2]), T(body.S[3]), T(body.S[4]),
           T(0)},
          {T(body.h[0]), T(body.h[1]), T(body.h[2])}};
}

template <class T>
TORQUED_INLINE void Add(const CompositeMoments<T>& a, CompositeMoments<T>& b) {
  b.S += a.S;
  b.h += a.h;
}

/// Begins row i of M: the wrench that a unit acceleration of joint i needs, at
/// first in {i'}, which is then carried towards the base.
template <class T, class N>
TORQUED_INLINE void BeginRow(const LoweredBody<N>& body,
                             const CompositeMoments<T>& sum, Wrench<T>& F,
                             T& diagonal) {
  const T zero(0);
  if (body.motion == JointMotion::kRevolute) {
    const T inertia = sum.S.xx + sum.S.yy;
    F = {{-sum.S.xz, -sum.S.yz, inertia}, {-sum.h.y, sum.h.x, zero}};
    diagonal = inertia + T(body.armature);
  } else {
    const T mass(body.composite_mass);
    F = {{sum.h.y, -sum.h.x, zero}, {zero, zero, mass}};
    diagonal = mass + T(body.armature);
  }
}

/// Carries the wrenches of rows [begin, end), which are all of body `begin` and
/// those it carries, over its joint. `entry` is row `begin` of M in the column
/// of the parent: what its joint feels of the wrenches is written there.
template <bool kRootNext, class Step, class T, class N>
TORQUED_INLINE void CarryRows(Step step, const LoweredBody<N>& body, long begin,
                              long end, T s, T c, T q, Wrench<T>* F, T* entry) {
  for (long k = begin; k < end; ++k) {
    const Wrench<T> carried = WrenchToParent(step, body, s, c, q, F[k]);
    *entry = carried.m.z;
    if constexpr (!kRootNext) F[k] = carried;
    entry += k + 1;
  }
}

template <bool kChain, class T, class N>
TORQUED_INLINE void MassMatrixOf(const LoweredTreeOf<N>& tree,
                                 const LoweredState<T>& state,
                                 const LoweredScratch<T>& scratch, T* M) {
  const LoweredBody<N>* const bodies = tree.bodies;
  const T *s = state.s, *c = state.c, *q = state.q;
  Wrench<T>* const F = scratch.F;
  const long n = tree.n;
  CompositeMoments<T> carried;
  bool carries = false;
  T* row = M + PackedSize(tree.n);
  for (long i = n - 1; i >= 0; --i) {
    row -= i + 1;
    const LoweredBody<N>& body = bodies[i];
    const long parent = ParentOf<kChain>(body, i);
    CompositeMoments<T> sum = OwnMoments<T>(body);
    if (carries) Add(carried, sum);
    if (!kChain && body.branches) Add(scratch.sum[body.slot], sum);
    BeginRow(body, sum, F[i], row[i]);
    carries = parent == i - 1 && parent != kBase;
    if (parent == kBase) continue;
    const LoweredBody<N>& onto = bodies[parent];
    const long end = kChain ? n : body.subtree_end;
    const bool onto_revolute = onto.motion == JointMotion::kRevolute;
    const bool root_next = ParentOf<kChain>(onto, parent) == kBase;
    WithStep(body, [&](auto step) TORQUED_INLINE_BODY {
      if (root_next && onto_revolute) {
        // One component is all that is used of what comes to a root.
        CarryRows<true>(step, body, i, end, s[i], c[i], q[i], F, row + parent);
      } else {
        CarryRows<false>(step, body, i, end, s[i], c[i], q[i], F, row + parent);
      }
      MomentsToParent(step, body, T(body.composite_mass), s[i], c[i], q[i],
                      sum);
    });
    if (!onto_revolute) {
      T* entry = row + parent;
      for (long k = i; k < end; ++k) {
        *entry = F[k].f.z;
        entry += k + 1;
      }
    }
    if (carries) {
      carried = sum;
    } else if (body.last_child) {
      scratch.sum[onto.slot] = sum;
    } else {
      Add(sum, scratch.sum[onto.slot]);
    }
  }
}

/// M, lower half in packed rows; armature included. Entries of joints on
/// different branches are left as they are: zero them once.
template <class T, class N>
TORQUED_ONE_COPY void LoweredMassMatrix(const LoweredTreeOf<N>& tree,
                                        const LoweredState<T>& state,
                                        const LoweredScratch<T>& scratch,
                                        T* M) {
  if (tree.chain) {
    MassMatrixOf<true>(tree, state, scratch, M);
  } else {
    MassMatrixOf<false>(tree, state, scratch, M);
  }
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

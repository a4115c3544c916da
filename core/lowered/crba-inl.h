// Mass matrix of a lowered tree by composite bodies (Featherstone 2008, section
// 6.2), carried as moments: the composite mass is a constant of the model.
#pragma once

#include "core/dynamics/packed_ldlt-inl.h"
#include "core/lowered/joint-inl.h"
#include "core/lowered/scratch.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// Rz(θ) S Rz(θ)ᵀ.
template <class T>
TORQUED_INLINE Sym3<T> SpinToParent(const T& s, const T& c, const Sym3<T>& S) {
  // The xx, xy, yy block keeps its trace.
  const T u = c * S.xx - s * S.xy, w = c * S.xy - s * S.yy;
  const T xx = c * u - s * w;
  const T xy = s * u + c * w;
  return {xx,  xy, c * S.xz - s * S.yz, S.xx + S.yy - xx, s * S.xz + c * S.yz,
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
      const T u = c * S.yy - s * S.yz, w = c * S.yz - s * S.zz;
      const T yy = c * u - s * w;
      S = {S.xx, c * S.xy - s * S.xz, s * S.xy + c * S.xz,
           yy,   s * u + c * w,       S.yy + S.zz - yy};
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

/// The composite moments of a body as its parent sees them.
template <class Step, class T, class N>
TORQUED_INLINE void MomentsToParent(Step step, const LoweredBody<N>& body,
                                    const T& s, const T& c, const T& q,
                                    CompositeMoments<T>& sum) {
  const T mass(body.composite_mass);
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

/// A row of M under way: the wrench that a unit acceleration of its joint
/// needs, carried towards the base.
template <class T>
struct MassMatrixRow {
  Wrench<T> F;
  T* row;
};

template <class T, class N>
TORQUED_INLINE MassMatrixRow<T> BeginRow(const LoweredBody<N>& body, long i,
                                         const CompositeMoments<T>& sum, T* M) {
  const T zero(0);
  MassMatrixRow<T> r;
  r.row = M + PackedRow(static_cast<int>(i));
  if (body.motion == JointMotion::kRevolute) {
    const T inertia = sum.S.xx + sum.S.yy;
    r.F = {{-sum.S.xz, -sum.S.yz, inertia}, {-sum.h.y, sum.h.x, zero}};
    r.row[i] = inertia + T(body.armature);
  } else {
    const T mass(body.composite_mass);
    r.F = {{sum.h.y, -sum.h.x, zero}, {zero, zero, mass}};
    r.row[i] = mass + T(body.armature);
  }
  return r;
}

/// Carries rows from joint j to joint `end`, or to the root if that comes
/// first. Several at a time share what is not their own.
template <bool kChain, class T, class N, class... Rows>
TORQUED_INLINE void CarryRows(const LoweredTreeOf<N>& tree,
                              const LoweredState<T>& state, long j, long end,
                              Rows&... rows) {
  const LoweredBody<N>* const bodies = tree.bodies;
  const T *s = state.s, *c = state.c, *q = state.q;
  if (ParentOf<kChain>(bodies[j], j) == kBase) return;
  while (j != end) {
    const LoweredBody<N>& body = bodies[j];
    const long parent = ParentOf<kChain>(body, j);
    const LoweredBody<N>& onto = bodies[parent];
    const bool revolute = onto.motion == JointMotion::kRevolute;
    const bool last = ParentOf<kChain>(onto, parent) == kBase;
    if (last && revolute) {
      // One component is all that is used of what comes to a root.
      WithStep(body, [&](auto step) TORQUED_INLINE_BODY {
        ((rows.row[parent] =
              WrenchToParent(step, body, s[j], c[j], q[j], rows.F).m.z),
         ...);
      });
      return;
    }
    WithStep(body, [&](auto step) TORQUED_INLINE_BODY {
      ((rows.F = WrenchToParent(step, body, s[j], c[j], q[j], rows.F)), ...);
    });
    if (revolute) [[likely]] {
      ((rows.row[parent] = rows.F.m.z), ...);
    } else {
      ((rows.row[parent] = rows.F.f.z), ...);
      if (last) return;
    }
    j = parent;
  }
}

template <bool kChain, class T, class N>
TORQUED_INLINE void MassMatrixOf(const LoweredTreeOf<N>& tree,
                                 const LoweredState<T>& state,
                                 const LoweredScratch<T>& scratch, T* M) {
  const LoweredBody<N>* const bodies = tree.bodies;
  const T *s = state.s, *c = state.c, *q = state.q;
  CompositeMoments<T> carried;
  bool carries = false;
  MassMatrixRow<T> of_child;  // at body i, where `paired`
  bool paired = false;
  for (long i = tree.n - 1; i >= 0; --i) {
    const LoweredBody<N>& body = bodies[i];
    const long parent = ParentOf<kChain>(body, i);
    CompositeMoments<T> sum = OwnMoments<T>(body);
    if (carries) Add(carried, sum);
    if (!kChain && body.branches) Add(scratch.sum[body.slot], sum);
    MassMatrixRow<T> row = BeginRow(body, i, sum, M);
    carries = parent == i - 1 && parent != kBase;
    if (paired) {
      CarryRows<kChain>(tree, state, i, kBase, row, of_child);
      paired = false;
    } else {
      CarryRows<kChain>(tree, state, i, carries ? i - 1 : kBase, row);
      of_child = row;
      paired = carries;
    }
    if (parent == kBase) continue;
    WithStep(body, [&](auto step) TORQUED_INLINE_BODY {
      MomentsToParent(step, body, s[i], c[i], q[i], sum);
    });
    if (carries) {
      carried = sum;
    } else if (body.last_child) {
      scratch.sum[bodies[parent].slot] = sum;
    } else {
      Add(sum, scratch.sum[bodies[parent].slot]);
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

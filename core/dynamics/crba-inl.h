// Mass matrix of a compiled tree by composite bodies (Featherstone 2008,
// section 6.2), carried as moments: the composite mass is a constant of the
// model.
#pragma once

#include "core/dynamics/body_inertia-inl.h"
#include "core/math/packed.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// S ← Rz(θ) S Rz(θ)ᵀ.
template <class Joint, class T>
TORQUED_INLINE void RotateZ(const Joint& joint, Sym3<T>& S) {
  const T &s = joint.s, &c = joint.c;
  // The xx, xy, yy block keeps its trace.
  const T u = Fma(c, S.xx, -(s * S.xy)), w = Fma(c, S.xy, -(s * S.yy));
  const T xx = Fma(c, u, -(s * w));
  const T xy = Fma(s, u, c * w);
  S = {xx,
       xy,
       Fma(c, S.xz, -(s * S.yz)),
       S.xx + S.yy - xx,
       Fma(s, S.xz, c * S.yz),
       S.zz};
}

/// S ← R_T S R_Tᵀ.
template <class Joint, class T>
TORQUED_INLINE void ApplyFixedRotation(const Joint& joint, Sym3<T>& S) {
  switch (joint.rotation()) {
    case FixedRotation::kQuarter:
      S = {S.xx, -S.xz, S.xy, S.zz, -S.yz, S.yy};
      return;
    case FixedRotation::kNone:
      return;
    case FixedRotation::kHalf:
      S.xy = -S.xy;
      S.xz = -S.xz;
      return;
    case FixedRotation::kAboutX: {
      const T c(joint.body.cos_alpha), s(joint.body.sin_alpha);
      const T u = Fma(c, S.yy, -(s * S.yz)), w = Fma(c, S.yz, -(s * S.zz));
      const T yy = Fma(c, u, -(s * w));
      S = {S.xx, Fma(c, S.xy, -(s * S.xz)), Fma(s, S.xy, c * S.xz),
           yy,   Fma(s, u, c * w),          S.yy + S.zz - yy};
      return;
    }
    case FixedRotation::kFull:
      S = Congruence(Mat3<T>::Constant(joint.body.R), S);
      return;
  }
}

/// S ← S + h pᵀ + p hᵀ + m p pᵀ and h ← h + m p: moments about a point at −p.
/// For a displacement along one axis.
template <int kAxis, class T>
TORQUED_INLINE void ShiftMoments(const T& p, const T& mass,
                                 CompositeMoments<T>& sum) {
  constexpr int i = kAxis, j = (kAxis + 1) % 3, k = (kAxis + 2) % 3;
  const T mp = mass * p;
  sum.S(i, i) += (sum.h[i] + sum.h[i] + mp) * p;
  sum.S(i, j) += sum.h[j] * p;
  sum.S(i, k) += sum.h[k] * p;
  sum.h[i] += mp;
}

/// The composite moments of a body as its parent sees them, or their rate,
/// whose mass is zero.
template <class Joint, class T>
TORQUED_INLINE void MomentsToParent(const Joint& joint, const T& mass,
                                    CompositeMoments<T>& sum) {
  if (joint.Slides()) ShiftMoments<2>(joint.q, mass, sum);
  RotateZ(joint, sum.S);
  ApplyFixedRotation(joint, sum.S);
  RotateToParent(joint, sum.h);
  // One axis after the other is one displacement: the moments add up.
  const Vec3<T> p = Vec3<T>::Constant(joint.body.p);
  if (joint.Shifts(0)) ShiftMoments<0>(p.x, mass, sum);
  if (joint.Shifts(1)) ShiftMoments<1>(p.y, mass, sum);
  if (joint.Shifts(2)) ShiftMoments<2>(p.z, mass, sum);
}

template <class T>
TORQUED_INLINE void Add(const CompositeMoments<T>& a, CompositeMoments<T>& b) {
  b.S += a.S;
  b.h += a.h;
}

/// Carries the wrenches of rows [begin, end), which are all of body `begin` and
/// those it carries, over its joint. `entry` is row `begin` of M in the column
/// of the parent: what its joint feels of the wrenches is written there. To a
/// revolute root one component is all that is used.
template <bool kRootNext, class Joint, class T>
TORQUED_INLINE void CarryRows(const Joint& at, long begin, long end,
                              Wrench<T>* F, T* entry) {
  const T s = at.s, c = at.c, q = at.q;  // in registers
  const Joint joint{at.body, s, c, q};
  for (long k = begin; k < end; ++k) {
    const Wrench<T> carried = WrenchToParent(joint, F[k]);
    *entry = carried.m.z;
    if constexpr (!kRootNext) F[k] = carried;
    entry += k + 1;
  }
}

/// M, lower half in packed rows; armature included. Entries of joints on
/// different branches are left as they are: zero them once.
template <class T, class N>
TORQUED_ONE_COPY void Crba(const CompiledTree<N>& tree,
                           const Configuration<T>& state,
                           const RecursionScratch<T>& scratch, T* M) {
  const CompiledBody<N>* const bodies = tree.bodies;
  const Joints joints(tree, state);
  Wrench<T>* const F = scratch.F;
  const long n = tree.n;
  WithChain(tree, [&](auto chain) TORQUED_INLINE_BODY {
    CompositeMoments<T> carried;
    bool carries = false;
    T* row = M + PackedSize(tree.n);
    for (long i = n - 1; i >= 0; --i) {
      row -= i + 1;
      const CompiledBody<N>& body = bodies[i];
      const long parent = chain ? i - 1 : body.parent;
      CompositeMoments<T> sum = OwnMoments<T>(body);
      if (carries) Add(carried, sum);
      if (!chain && body.branches) Add(scratch.sum[body.slot], sum);
      // Row i of M: a wrench that is carried towards the base.
      F[i] = UnitWrench(body, sum, T(body.composite_mass));
      row[i] = OfJoint(body, F[i]) + T(body.armature);
      carries = parent == i - 1 && parent != kBase;
      if (parent == kBase) continue;
      const CompiledBody<N>& onto = bodies[parent];
      const long end = chain ? n : body.subtree_end;
      const bool onto_slides = joints[parent].Slides();
      const bool root_next = (chain ? parent - 1 : onto.parent) == kBase;
      joints.With(i, [&](const auto& joint) TORQUED_INLINE_BODY {
        if (root_next && !onto_slides) {
          CarryRows<true>(joint, i, end, F, row + parent);
        } else {
          CarryRows<false>(joint, i, end, F, row + parent);
        }
        MomentsToParent(joint, T(body.composite_mass), sum);
      });
      if (onto_slides) {
        T* entry = row + parent;
        for (long k = i; k < end; entry += ++k) *entry = F[k].f.z;
      }
      if (carries) {
        carried = sum;
      } else if (body.last_child) {
        scratch.sum[onto.slot] = sum;
      } else {
        Add(sum, scratch.sum[onto.slot]);
      }
    }
  });
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

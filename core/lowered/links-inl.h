// What the links of a lowered tree do: how they move, what passes through their
// joints, and what that sums up to.
#pragma once

#include "core/lowered/crba-inl.h"
#include "core/lowered/joint-inl.h"
#include "core/lowered/kinematics-inl.h"
#include "core/lowered/motion-inl.h"
#include "core/lowered/rnea-inl.h"
#include "core/lowered/scratch.h"
#include "core/spatial/inertia.h"

namespace torqued {
inline namespace TORQUED_TARGET {

// Spatial vectors as numbers, (angular; linear).
template <class T>
TORQUED_INLINE void Store(const Vec3<T>& a, T* numbers) {
  numbers[0] = a.x, numbers[1] = a.y, numbers[2] = a.z;
}
template <class T>
TORQUED_INLINE void Store(const Twist<T>& V, T* numbers) {
  Store(V.w, numbers);
  Store(V.v, numbers + 3);
}
template <class T>
TORQUED_INLINE void Store(const Wrench<T>& F, T* numbers) {
  Store(F.m, numbers);
  Store(F.f, numbers + 3);
}
/// As column j of a row-major matrix of 6 x n.
template <class T>
TORQUED_INLINE void StoreColumn(const Twist<T>& V, int n, int j, T* matrix) {
  matrix[0 * n + j] = V.w.x;
  matrix[1 * n + j] = V.w.y;
  matrix[2 * n + j] = V.w.z;
  matrix[3 * n + j] = V.v.x;
  matrix[4 * n + j] = V.v.y;
  matrix[5 * n + j] = V.v.z;
}

/// C_i = T_{i,i'}: ToParent takes twists and wrenches to the body's own frame.
template <class T, class N>
TORQUED_INLINE Transform<T> OwnFrame(const LoweredTreeOf<N>& tree, long i) {
  const BodyFrame& C = tree.frames[i];
  return {Mat3<T>::Constant(C.R), Vec3<T>::Constant(C.p)};
}

/// V[n], the bodies' twists in {i'}. Null: the base rests.
template <class T, class N>
TORQUED_ONE_COPY void LoweredTwists(const LoweredTreeOf<N>& tree,
                                    const LoweredState<T>& state,
                                    const BaseMotion<T>* base, Twist<T>* V) {
  for (long i = 0; i < tree.n; ++i) {
    const LoweredBody<N>& body = tree.bodies[i];
    Twist<T> own = Twist<T>::Zero();
    if (body.parent != kBase || base != nullptr) {
      own = body.parent == kBase ? base->V : V[body.parent];
      WithStep(body, [&](auto step) TORQUED_INLINE_BODY {
        TwistToChild(step, body, state.s[i], state.c[i], state.q[i], own);
      });
    }
    AddAlongJoint(AnyStep{}, body, state.v[i], own);
    V[i] = own;
  }
}

/// A[n], the rates of the components of V, without gravity.
template <class T, class N>
TORQUED_ONE_COPY void LoweredAccelerations(const LoweredTreeOf<N>& tree,
                                           const LoweredState<T>& state,
                                           const BaseMotion<T>* base,
                                           const Twist<T>* V, Twist<T>* A) {
  for (long i = 0; i < tree.n; ++i) {
    const LoweredBody<N>& body = tree.bodies[i];
    Twist<T> own = Twist<T>::Zero();
    if (body.parent != kBase || base != nullptr) {
      own = body.parent == kBase ? base->A : A[body.parent];
      WithStep(body, [&](auto step) TORQUED_INLINE_BODY {
        TwistToChild(step, body, state.s[i], state.c[i], state.q[i], own);
        AddScrewRate(step, body, V[i], state.v[i], own);
      });
    }
    AddAlongJoint(AnyStep{}, body, state.a[i], own);
    A[i] = own;
  }
}

/// Twist of the tip's body, and the rates of its components, without gravity.
template <class T, class N>
TORQUED_ONE_COPY void LoweredTipTwists(const LoweredTreeOf<N>& tree,
                                       const LoweredTip<N>& tip,
                                       const LoweredState<T>& state,
                                       const BaseMotion<T>* base, Twist<T>* V,
                                       Twist<T>* A) {
  *V = base == nullptr ? Twist<T>::Zero() : base->V;
  *A = base == nullptr ? Twist<T>::Zero() : base->A;
  for (int k = 0; k < tip.length; ++k) {
    const int i = tip.path[k];
    const LoweredBody<N>& body = tree.bodies[i];
    WithStep(body, [&](auto step) TORQUED_INLINE_BODY {
      TwistToChild(step, body, state.s[i], state.c[i], state.q[i], *V);
      TwistToChild(step, body, state.s[i], state.c[i], state.q[i], *A);
      AddScrewRate(step, body, *V, state.v[i], *A);
      AddAlongJoint(step, body, state.v[i], *V);
      AddAlongJoint(step, body, state.a[i], *A);
    });
  }
}

/// One of them at the tip, in its reference frame.
template <class T, class N>
TORQUED_INLINE Twist<T> InReference(const LoweredTip<N>& tip,
                                    const TipPose<T>& pose,
                                    const Twist<T>& of_body) {
  Vec3<T> w = of_body.w, v = of_body.v;
  if (tip.reference == ReferenceFrame::kWorld) {
    w = pose.last.Rotate(w);
    return {w, pose.last.Rotate(v) + Cross(pose.last.p, w)};
  }
  v += Cross(w, Vec3<T>{T(tip.p[0]), T(tip.p[1]), T(tip.p[2])});
  if (tip.reference == ReferenceFrame::kLocal) {
    TurnByTranspose(tip.R, w);
    TurnByTranspose(tip.R, v);
    return {w, v};
  }
  return {pose.last.Rotate(w), pose.last.Rotate(v)};
}

/// motion[n], from the gravity and the base of `terms`.
template <class T, class N>
TORQUED_ONE_COPY void LoweredMotions(const LoweredTreeOf<N>& tree,
                                     const LoweredTerms<T>& terms,
                                     const LoweredState<T>& state,
                                     LinkMotion<T>* motion) {
  const T *s = state.s, *c = state.c, *q = state.q, *v = state.v, *a = state.a;
  for (long i = 0; i < tree.n; ++i) {
    const LoweredBody<N>& body = tree.bodies[i];
    LinkMotion<T> m;
    if (body.parent == kBase && terms.base == nullptr) {
      m = MoveRoot(body, terms.gravity, s[i], c[i], v[i], a[i]);
    } else {
      m = body.parent == kBase ? MotionOfBase(*terms.base, terms.gravity)
                               : motion[body.parent];
      WithStep(body, [&](auto step) TORQUED_INLINE_BODY {
        MoveChild(step, body, s[i], c[i], q[i], v[i], a[i], m);
      });
    }
    motion[i] = m;
  }
}

/// X[n], T_{0,i'}.
template <class T, class N>
TORQUED_ONE_COPY void LoweredPoses(const LoweredTreeOf<N>& tree,
                                   const LoweredState<T>& state,
                                   PoseRows<T>* X) {
  for (long i = 0; i < tree.n; ++i) {
    const LoweredBody<N>& body = tree.bodies[i];
    PoseRows<T> own =
        body.parent == kBase ? PoseRows<T>::Identity() : X[body.parent];
    WithStep(body, [&](auto step) TORQUED_INLINE_BODY {
      PlaceChild(step, body, state.s[i], state.c[i], state.q[i], own);
    });
    X[i] = own;
  }
}

/// The screw of a joint in base axes about the base's origin.
template <class T, class N>
TORQUED_INLINE Twist<T> ScrewInBase(const LoweredBody<N>& body,
                                    const PoseRows<T>& X) {
  const Vec3<T> z = {X.r0.z, X.r1.z, X.r2.z};
  if (body.motion == JointMotion::kPrismatic) return {Vec3<T>::Zero(), z};
  return {z, Cross(X.p, z)};
}

/// As {i'} has it.
template <class T>
TORQUED_INLINE Twist<T> ToChild(const PoseRows<T>& X, const Twist<T>& V) {
  return {X.RotateBack(V.w), X.RotateBack(V.v + Cross(V.w, X.p))};
}

/// sum[n], of each body and all that it carries.
template <class T, class N>
TORQUED_ONE_COPY void LoweredComposites(const LoweredTreeOf<N>& tree,
                                        const LoweredState<T>& state,
                                        CompositeMoments<T>* sum) {
  for (long i = 0; i < tree.n; ++i) sum[i] = OwnMoments<T>(tree.bodies[i]);
  for (long i = tree.n - 1; i >= 0; --i) {
    const LoweredBody<N>& body = tree.bodies[i];
    if (body.parent == kBase) continue;
    CompositeMoments<T> carried = sum[i];
    WithStep(body, [&](auto step) TORQUED_INLINE_BODY {
      MomentsToParent(step, body, T(body.composite_mass), state.s[i],
                      state.c[i], state.q[i], carried);
    });
    Add(carried, sum[body.parent]);
  }
}

/// What is handed down, to the base or to a parent.
template <class T>
TORQUED_INLINE SpatialInertia<T> Handed(const HandedInertia& inertia) {
  return {T(inertia.mass), Vec3<T>::Constant(inertia.h),
          Sym3<T>::Constant(inertia.I)};
}

/// Σ m_i p_com,i in base axes. Uses h[n].
template <class T, class N>
TORQUED_ONE_COPY Vec3<T> LoweredFirstMoment(const LoweredTreeOf<N>& tree,
                                            const LoweredState<T>& state,
                                            Vec3<T>* h) {
  for (long i = 0; i < tree.n; ++i) {
    h[i] = OwnMoments<T>(tree.bodies[i]).h;
  }
  Vec3<T> of_base = Vec3<T>::Constant(tree.handed[tree.n].h);
  for (long i = tree.n - 1; i >= 0; --i) {
    const LoweredBody<N>& body = tree.bodies[i];
    const T mass(body.composite_mass);
    Vec3<T> carried = h[i];
    WithStep(body, [&](auto step) TORQUED_INLINE_BODY {
      // Products of constants would be rounded in lanes alone.
      if (!step.IsRevolute(body)) {
        carried.z = Fma(mass, state.q[i], carried.z);
      }
      carried = SpinToParent(state.s[i], state.c[i], carried);
      TurnToParent(step, body, carried);
      const T px(body.p[0]), py(body.p[1]), pz(body.p[2]);
      if (step.Shifts(body, 0)) carried.x = Fma(mass, px, carried.x);
      if (step.Shifts(body, 1)) carried.y = Fma(mass, py, carried.y);
      if (step.Shifts(body, 2)) carried.z = Fma(mass, pz, carried.z);
    });
    (body.parent == kBase ? of_base : h[body.parent]) += carried;
  }
  return of_base;
}

/// From the wrench on each body (or its momentum) to what comes of it and of
/// all that it carries; returns the sum on the base, in its axes.
template <class T, class N>
TORQUED_ONE_COPY Wrench<T> SumToBase(const LoweredTreeOf<N>& tree,
                                     const LoweredState<T>& state,
                                     Wrench<T>* F) {
  Wrench<T> of_base = Wrench<T>::Zero();
  for (long i = tree.n - 1; i >= 0; --i) {
    const LoweredBody<N>& body = tree.bodies[i];
    Wrench<T>& sum = body.parent == kBase ? of_base : F[body.parent];
    WithStep(body, [&](auto step) TORQUED_INLINE_BODY {
      sum = AddWrenchToParent(step, body, state.s[i], state.c[i], state.q[i],
                              F[i], sum);
    });
  }
  return of_base;
}

/// G V of what the body keeps.
template <class T, class N>
TORQUED_INLINE Wrench<T> OwnMomentum(const LoweredBody<N>& body,
                                     const Twist<T>& V) {
  const Vec3<T>&w = V.w, &v = V.v;
  if (body.motion == JointMotion::kPrismatic) {
    const Vec3<T> h = {T(body.h[0]), T(body.h[1]), T(body.h[2])};
    return {Cross(h, v), v * T(body.mass) + Cross(w, h)};
  }
  const T xx(body.S[0]), xy(body.S[1]), xz(body.S[2]), yy(body.S[3]),
      yz(body.S[4]), trace(body.S[0] + body.S[3]);
  const T hx(body.h[0]), hy(body.h[1]);
  return {{Fma(yy, w.x, -(xy * w.y)) - xz * w.z + hy * v.z,
           Fma(xx, w.y, -(xy * w.x)) - yz * w.z - hx * v.z,
           Fma(trace, w.z, -(xz * w.x)) - yz * w.y + hx * v.y - hy * v.x},
          {-(hy * w.z), hx * w.z, Fma(hy, w.x, -(hx * w.y))}};
}

/// Of the whole robot in base axes about the base's origin. Uses F[n].
template <class T, class N>
TORQUED_ONE_COPY Wrench<T> LoweredMomentum(const LoweredTreeOf<N>& tree,
                                           const LoweredState<T>& state,
                                           const BaseMotion<T>* base,
                                           const Twist<T>* V, Wrench<T>* F) {
  for (long i = 0; i < tree.n; ++i) F[i] = OwnMomentum(tree.bodies[i], V[i]);
  Wrench<T> sum = SumToBase(tree, state, F);
  if (base != nullptr) sum += Handed<T>(tree.handed[tree.n]) * base->V;
  return sum;
}

/// Σ Xᵢᵀ G_i V_i with `other`, V or A: twice the kinetic energy, or its rate.
/// Armature has its share.
template <class T, class N>
TORQUED_INLINE T LoweredPowerOfMomenta(const LoweredTreeOf<N>& tree,
                                       const T* rates, const T* other_rates,
                                       const BaseMotion<T>* base,
                                       const Twist<T>* of_base,
                                       const Twist<T>* V,
                                       const Twist<T>* other) {
  T sum(0);
  for (long i = 0; i < tree.n; ++i) {
    const LoweredBody<N>& body = tree.bodies[i];
    sum = sum + Dot(OwnMomentum(body, V[i]), other[i]);
    sum = sum + T(body.armature) * rates[i] * other_rates[i];
  }
  if (base == nullptr) return sum;
  return sum + Dot(Handed<T>(tree.handed[tree.n]) * base->V, *of_base);
}

/// What the inertia that body i hands to its parent needs when it moves so.
template <class T, class N>
TORQUED_INLINE Wrench<T> HandedWrench(const LoweredBody<N>& body,
                                      const HandedInertia& inertia,
                                      const LinkMotion<T>& m) {
  if (body.motion == JointMotion::kPrismatic) {
    const Sym3<T> I = Sym3<T>::Constant(inertia.I);
    return {I * m.wd + Cross(m.w, I * m.w), Vec3<T>::Zero()};
  }
  const T hz(inertia.h[2]);
  const Vec3<T> column = Fma(m.B.c2, T(inertia.I[0]), m.a * hz);
  return {{-column.y, column.x, T(0)}, Fma(m.B.c2, hz, m.a * T(inertia.mass))};
}

/// The wrench on the base of all that moves as `motion` says, in base axes.
/// Leaves in F[n] what the kept inertias let pass through the joints, in {i'}.
template <class T, class N>
TORQUED_ONE_COPY Wrench<T> LoweredJointWrenches(const LoweredTreeOf<N>& tree,
                                                const LoweredTerms<T>& terms,
                                                const LoweredState<T>& state,
                                                const LinkMotion<T>* motion,
                                                Wrench<T>* F) {
  for (long i = 0; i < tree.n; ++i) {
    F[i] = InertialWrench(AnyStep{}, tree.bodies[i], motion[i]);
  }
  for (int k = 0; k < terms.wrench_count; ++k) {
    Wrench<T>& own = F[terms.wrenches[k].body];
    own = own - terms.wrenches[k].W;
  }
  const Wrench<T> sum = SumToBase(tree, state, F);
  const SpatialInertia<T> G = Handed<T>(tree.handed[tree.n]);
  if (terms.base == nullptr) {
    return sum + G * Twist<T>{Vec3<T>::Zero(), -terms.gravity};
  }
  const Twist<T>& V = terms.base->V;
  const Twist<T> A = {terms.base->A.w, terms.base->A.v - terms.gravity};
  return sum + G * A + MinusAdTranspose(V, G * V);
}

/// A_G[6 x n], row-major: the momentum about the centre of mass that a unit
/// rate of each joint makes.
template <class T, class N>
TORQUED_ONE_COPY void LoweredMomentumMatrix(const LoweredTreeOf<N>& tree,
                                            const PoseRows<T>* X,
                                            const CompositeMoments<T>* sum,
                                            const Vec3<T>& com, T* A_G) {
  for (long j = 0; j < tree.n; ++j) {
    Wrench<T> h;
    T diagonal;
    BeginRow(tree.bodies[j], sum[j], h, diagonal);
    const Vec3<T> f = X[j].Rotate(h.f);
    const Vec3<T> m = X[j].Rotate(h.m) + Cross(X[j].p - com, f);
    StoreColumn(Twist<T>{m, f}, tree.n, static_cast<int>(j), A_G);
  }
}

/// J̇[6 x n] of a Jacobian, on a base at rest. With V_j, the twist of the body
/// that joint j carries: ad_{V_j} J_j, less what the reference frame moves.
template <class T, class N>
TORQUED_ONE_COPY void LoweredJacobianRate(const LoweredTreeOf<N>& tree,
                                          const LoweredTip<N>& tip, const T* v,
                                          const TipPose<T>& pose, const T* J,
                                          T* J_rate) {
  const int n = tree.n;
  const Twist<T> V_tip = LoweredTipTwist(
      tree, tip, v, static_cast<const BaseMotion<T>*>(nullptr), pose, J);
  const bool local = tip.reference == ReferenceFrame::kLocal;
  for (int k = 0; k < 6 * n; ++k) J_rate[k] = T(0);
  Twist<T> V = local ? V_tip * T(-1) : Twist<T>::Zero();
  for (int k = 0; k < tip.length; ++k) {
    const int j = tip.path[k];
    const Twist<T> column = {{J[0 * n + j], J[1 * n + j], J[2 * n + j]},
                             {J[3 * n + j], J[4 * n + j], J[5 * n + j]}};
    V += column * v[j];
    Twist<T> rate = Bracket(V, column);
    if (tip.reference == ReferenceFrame::kLocalWorldAligned) {
      rate.v += Cross(column.w, V_tip.v);
    }
    StoreColumn(rate, n, j, J_rate);
  }
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

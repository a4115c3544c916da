// Links of a compiled tree: their motions, the wrenches through their joints,
// and the sums of both.
#pragma once

#include "core/dynamics/crba-inl.h"
#include "core/dynamics/kinematics-inl.h"
#include "core/dynamics/rnea-inl.h"
#include "core/math/inertia.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// C_i = T_{i,i'}: ToParent takes twists and wrenches to the body's own frame.
template <class T, class N>
TORQUED_INLINE Transform<T> OwnFrame(const CompiledTree<N>& tree, long i) {
  const BodyFrame& C = tree.frames[i];
  return {Mat3<T>::Constant(C.R), Vec3<T>::Constant(C.p)};
}

/// From a frame that stands d further along the same z axis.
template <class T>
TORQUED_INLINE void SlideAlongZ(const T& d, Twist<T>& V) {
  V.v.x = Fma(-d, V.w.y, V.v.x);
  V.v.y = Fma(d, V.w.x, V.v.y);
}
template <class T>
TORQUED_INLINE void SlideAlongZ(const T& d, Wrench<T>& F) {
  F.m.x = Fma(-d, F.f.y, F.m.x);
  F.m.y = Fma(d, F.f.x, F.m.y);
}

/// A twist or wrench of body i in the body's own frame. Joints about the z axis
/// of their frames are the common case.
template <class T, class N, class Vector>
TORQUED_INLINE Vector ToOwnFrame(const CompiledTree<N>& tree, long i,
                                 const Vector& vector) {
  const BodyFrame& C = tree.frames[i];
  if (C.R[8] != 1 || C.p[0] != 0 || C.p[1] != 0) {
    return ToParent(OwnFrame<T>(tree, i), vector);
  }
  // A zero that is added takes the sign of zeros away, as a whole matrix does.
  const T c(C.R[0]), s(C.R[3]), zero(0);
  const auto turn = [&](const Vec3<T>& v) TORQUED_INLINE_BODY {
    return Vec3<T>{Fma(c, v.x, Fma(-s, v.y, zero)),
                   Fma(s, v.x, Fma(c, v.y, zero)), v.z + zero};
  };
  const auto& [first, second] = vector;
  Vector own = {turn(first), turn(second)};
  SlideAlongZ(T(C.p[2]), own);
  return own;
}

/// own[i] of all bodies from that of their parents: change(joint, i, x) makes
/// the body's of an x that is the parent's or `of_base`.
template <class T, class N, class Item, class Change>
TORQUED_INLINE void ForBodiesOutwards(const CompiledTree<N>& tree,
                                      const Configuration<T>& state,
                                      const Item& of_base, Item* own,
                                      const Change& change) {
  const Joints joints(tree, state);
  Item x = of_base;  // in registers from body to body of a chain
  for (long i = 0; i < tree.n; ++i) {
    const int parent = tree.bodies[i].parent;
    if (parent != i - 1) x = parent == kBase ? of_base : own[parent];
    joints.With(
        i, [&](const auto& joint) TORQUED_INLINE_BODY { change(joint, i, x); });
    own[i] = x;
  }
}

/// Leaves in own[i] of all bodies, in {i'}, what it has been and what comes of
/// the bodies that it carries; returns the sum on the base, `of_base` included.
/// add(joint, i, x, sum) adds x of body i to the sum of its parent.
template <class T, class N, class Item, class Add>
TORQUED_INLINE Item SumInwards(const CompiledTree<N>& tree,
                               const Configuration<T>& state, Item of_base,
                               Item* own, const Add& add) {
  if (tree.n == 0) return of_base;
  const Joints joints(tree, state);
  Item x = own[tree.n - 1];  // in registers from body to body of a chain
  for (long i = tree.n - 1; i >= 0; --i) {
    own[i] = x;
    const int parent = tree.bodies[i].parent;
    Item sum = parent == kBase ? of_base : own[parent];
    joints.With(i, [&](const auto& joint)
                       TORQUED_INLINE_BODY { add(joint, i, x, sum); });
    if (parent == kBase) {
      of_base = sum;
    } else if (parent == i - 1) {
      x = sum;
      continue;
    } else {
      own[parent] = sum;
    }
    if (i > 0) x = own[i - 1];
  }
  return of_base;
}

/// V[n], the bodies' twists in {i'}. Null: the base rests.
template <class T, class N>
TORQUED_ONE_COPY void LinkTwists(const CompiledTree<N>& tree,
                                 const Configuration<T>& state,
                                 const BaseMotion<T>* base, Twist<T>* V) {
  const auto change = [&](const auto& joint, long i, Twist<T>& own)
                          TORQUED_INLINE_BODY {
                            if (joint.body.parent != kBase || base != nullptr) {
                              TwistToChild(joint, own);
                            }
                            AddAlongJoint(joint, state.v[i], own);
                          };
  const Twist<T> of_base = base == nullptr ? Twist<T>::Zero() : base->V;
  ForBodiesOutwards(tree, state, of_base, V, change);
}

/// A[n], the rates of the components of V, without gravity.
template <class T, class N>
TORQUED_ONE_COPY void LinkAccelerations(const CompiledTree<N>& tree,
                                        const Configuration<T>& state,
                                        const BaseMotion<T>* base,
                                        const Twist<T>* V, Twist<T>* A) {
  const auto change = [&](const auto& joint, long i, Twist<T>& own)
                          TORQUED_INLINE_BODY {
                            if (joint.body.parent != kBase || base != nullptr) {
                              TwistToChild(joint, own);
                              AddScrewRate(joint, V[i], state.v[i], own);
                            }
                            AddAlongJoint(joint, state.a[i], own);
                          };
  const Twist<T> of_base = base == nullptr ? Twist<T>::Zero() : base->A;
  ForBodiesOutwards(tree, state, of_base, A, change);
}

/// Twist of the tip's body, and the rates of its components, without gravity.
template <class T, class N>
TORQUED_ONE_COPY void TipTwists(const CompiledTree<N>& tree,
                                const TipFrame& tip,
                                const Configuration<T>& state,
                                const BaseMotion<T>* base, Twist<T>* V,
                                Twist<T>* A) {
  const Joints joints(tree, state);
  *V = base == nullptr ? Twist<T>::Zero() : base->V;
  *A = base == nullptr ? Twist<T>::Zero() : base->A;
  for (int k = 0; k < tip.length; ++k) {
    const int i = tip.path[k];
    joints.With(i, [&](const auto& joint) TORQUED_INLINE_BODY {
      TwistToChild(joint, *V);
      TwistToChild(joint, *A);
      AddScrewRate(joint, *V, state.v[i], *A);
      AddAlongJoint(joint, state.v[i], *V);
      AddAlongJoint(joint, state.a[i], *A);
    });
  }
}

/// One of them at the tip, in its reference frame.
template <class T>
TORQUED_INLINE Twist<T> InReference(const TipFrame& tip, const TipPose<T>& pose,
                                    Twist<T> V) {
  const PoseRows<T>& X = pose.last;
  const bool world = tip.reference == ReferenceFrame::kWorld;
  if (!world) V.v += Cross(V.w, Vec3<T>::Constant(tip.frame->p));
  if (tip.reference == ReferenceFrame::kLocal) {
    TurnByTranspose(tip.frame->R, V.w);
    TurnByTranspose(tip.frame->R, V.v);
    return V;
  }
  V = {X.Rotate(V.w), X.Rotate(V.v)};
  if (world) V.v += Cross(X.p, V.w);
  return V;
}

/// motion[n], from the gravity and the base of `terms`.
template <class T, class N>
TORQUED_ONE_COPY void LinkMotions(const CompiledTree<N>& tree,
                                  const DynamicsTerms<T>& terms,
                                  const Configuration<T>& state,
                                  LinkMotion<T>* motion) {
  const Joints joints(tree, state);
  LinkMotion<T> m;
  for (long i = 0; i < tree.n; ++i) {
    const int parent = tree.bodies[i].parent;
    const T &v = state.v[i], &a = state.a[i];
    if (parent == kBase && terms.base == nullptr) {
      m = PropagateRoot(joints[i], terms.gravity, v, a);
    } else {
      if (parent == kBase) {
        m = MotionOfBase(*terms.base, terms.gravity);
      } else if (parent != i - 1) {
        m = motion[parent];
      }
      joints.With(i, [&](const auto& joint) TORQUED_INLINE_BODY {
        PropagateMotion(joint, v, a, m);
      });
    }
    motion[i] = m;
  }
}

/// X[n], T_{0,i'}.
template <class T, class N>
TORQUED_ONE_COPY void LinkPoses(const CompiledTree<N>& tree,
                                const Configuration<T>& state, PoseRows<T>* X) {
  const auto change = [](const auto& joint, long /*i*/, PoseRows<T>& own)
                          TORQUED_INLINE_BODY { PlaceChild(joint, own); };
  ForBodiesOutwards(tree, state, PoseRows<T>::Identity(), X, change);
}

/// The screw of a joint in base axes about the base's origin.
template <class T, class N>
TORQUED_INLINE Twist<T> ScrewInBase(const CompiledBody<N>& body,
                                    const PoseRows<T>& X) {
  return Screw(body, X.z(), Cross(X.p, X.z()));
}

/// sum[n], of each body and all that it carries.
template <class T, class N>
TORQUED_ONE_COPY void CompositeInertias(const CompiledTree<N>& tree,
                                        const Configuration<T>& state,
                                        CompositeMoments<T>* sum) {
  const Joints joints(tree, state);
  for (long i = 0; i < tree.n; ++i) sum[i] = OwnMoments<T>(tree.bodies[i]);
  for (long i = tree.n - 1; i >= 0; --i) {
    const CompiledBody<N>& body = tree.bodies[i];
    if (body.parent == kBase) continue;
    CompositeMoments<T> carried = sum[i];
    joints.With(i, [&](const auto& joint) TORQUED_INLINE_BODY {
      MomentsToParent(joint, T(body.composite_mass), carried);
    });
    Add(carried, sum[body.parent]);
  }
}

/// The wrench on the base or on a parent.
template <class T>
TORQUED_INLINE SpatialInertia<T> Handed(const HandedInertia& inertia) {
  return {T(inertia.mass), Vec3<T>::Constant(inertia.h),
          Sym3<T>::Constant(inertia.I)};
}

/// Σ m_i p_com,i in base axes. Uses h[n].
template <class T, class N>
TORQUED_ONE_COPY Vec3<T> FirstMoment(const CompiledTree<N>& tree,
                                     const Configuration<T>& state,
                                     Vec3<T>* h) {
  for (long i = 0; i < tree.n; ++i) {
    h[i] = Vec3<T>::Constant(tree.bodies[i].h);
  }
  const auto add = [&](const auto& joint, long /*i*/, Vec3<T> carried,
                       Vec3<T>& sum) TORQUED_INLINE_BODY {
    const T mass(joint.body.composite_mass);
    // Products of constants would be rounded in lanes alone.
    if (joint.Slides()) carried.z = Fma(mass, joint.q, carried.z);
    RotateToParent(joint, carried);
    for (int k = 0; k < 3; ++k) {
      if (!joint.Shifts(k)) continue;
      carried[k] = Fma(mass, T(joint.body.p[k]), carried[k]);
    }
    sum += carried;
  };
  return SumInwards(tree, state, Vec3<T>::Constant(tree.handed[tree.n].h), h,
                    add);
}

/// From the wrench on each body (or its momentum) to what comes of it and of
/// all that it carries; returns the sum on the base, in its axes.
template <class T, class N>
TORQUED_ONE_COPY Wrench<T> SumToBase(const CompiledTree<N>& tree,
                                     const Configuration<T>& state,
                                     Wrench<T>* F) {
  const auto add =
      [](const auto& joint, long /*i*/, const Wrench<T>& x, Wrench<T>& sum)
          TORQUED_INLINE_BODY { sum = AddWrenchToParent(joint, x, sum); };
  return SumInwards(tree, state, Wrench<T>::Zero(), F, add);
}

/// The whole robot in base axes about the base's origin. Uses F[n].
template <class T, class N>
TORQUED_ONE_COPY Wrench<T> Momentum(const CompiledTree<N>& tree,
                                    const Configuration<T>& state,
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
TORQUED_INLINE T PowerOfMomenta(const CompiledTree<N>& tree, const T* rates,
                                const T* other_rates, const BaseMotion<T>* base,
                                const Twist<T>* of_base, const Twist<T>* V,
                                const Twist<T>* other) {
  T sum(0);
  for (long i = 0; i < tree.n; ++i) {
    const CompiledBody<N>& body = tree.bodies[i];
    sum = sum + Dot(OwnMomentum(body, V[i]), other[i]);
    sum = sum + T(body.armature) * rates[i] * other_rates[i];
  }
  if (base == nullptr) return sum;
  return sum + Dot(Handed<T>(tree.handed[tree.n]) * base->V, *of_base);
}

/// The wrench on the base of all that moves as `motion` says, in base axes.
/// Leaves in F[n] what the kept inertias let pass through the joints, in {i'}.
template <class T, class N>
TORQUED_ONE_COPY Wrench<T> JointWrenches(const CompiledTree<N>& tree,
                                         const DynamicsTerms<T>& terms,
                                         const Configuration<T>& state,
                                         const LinkMotion<T>* motion,
                                         Wrench<T>* F) {
  const Joints joints(tree, state);
  for (long i = 0; i < tree.n; ++i) F[i] = InertialWrench(joints[i], motion[i]);
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
TORQUED_ONE_COPY void MomentumMatrix(const CompiledTree<N>& tree,
                                     const PoseRows<T>* X,
                                     const CompositeMoments<T>* sum,
                                     const Vec3<T>& com, T* A_G) {
  for (long j = 0; j < tree.n; ++j) {
    const CompiledBody<N>& body = tree.bodies[j];
    const Wrench<T> h = UnitWrench(body, sum[j], T(body.composite_mass));
    const Vec3<T> f = X[j].Rotate(h.f);
    const Vec3<T> m = X[j].Rotate(h.m) + Cross(X[j].p - com, f);
    StoreColumn(Twist<T>{m, f}, tree.n, static_cast<int>(j), A_G);
  }
}

/// J̇[6 x n] of a Jacobian, on a base at rest. With V_j, the twist of the body
/// that joint j carries: ad_{V_j} J_j, less what the reference frame moves.
template <class T, class N>
TORQUED_ONE_COPY void JacobianRate(const CompiledTree<N>& tree,
                                   const TipFrame& tip, const T* v,
                                   const TipPose<T>& pose, const T* J,
                                   T* J_rate) {
  const Twist<T> V_tip = TipTwist(
      tree, tip, v, static_cast<const BaseMotion<T>*>(nullptr), pose, J);
  const bool local = tip.reference == ReferenceFrame::kLocal;
  for (int k = 0; k < 6 * tree.n; ++k) J_rate[k] = T(0);
  Twist<T> V = local ? V_tip * T(-1) : Twist<T>::Zero();
  for (int k = 0; k < tip.length; ++k) {
    const int j = tip.path[k];
    const Twist<T> column = LoadColumn(J, tree.n, j);
    V += column * v[j];
    Twist<T> rate = Bracket(V, column);
    if (tip.reference == ReferenceFrame::kLocalWorldAligned) {
      rate.v += Cross(column.w, V_tip.v);
    }
    StoreColumn(rate, tree.n, j, J_rate);
  }
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

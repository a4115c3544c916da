#pragma once

#include "core/dynamics/joint-inl.h"
#include "core/dynamics/kinematics-inl.h"
#include "core/dynamics/link_motion.h"
#include "core/dynamics/store-inl.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// X_i V_λ. A base at rest has none.
template <class T>
TORQUED_INLINE Twist<T> Inherited(const TreeBody& body, const Transform<T>& X,
                                  const Twist<T>* vectors,
                                  const Twist<T>* of_base) {
  if (body.parent != kBase) return ToChild(X, vectors[body.parent]);
  return of_base == nullptr ? Twist<T>::Zero() : ToChild(X, *of_base);
}

template <class T>
void ComputeBodyTwists(const Tree& tree, const T* v, Scratch<T>& scratch,
                       const BaseMotion<T>* base) {
  const Twist<T>* const V_base = base == nullptr ? nullptr : &base->V;
  for (int i = 0; i < tree.n; ++i) {
    const TreeBody& body = tree.bodies[i];
    // V_i = X_i V_λ + A_i q̇_i
    scratch.V[i] = Inherited(body, scratch.X[i], scratch.V, V_base);
    if (v != nullptr) scratch.V[i] += JointTwist(body, v[i]);
  }
}

template <class T>
void ComputeBodyMotions(const Tree& tree, const T* v, const T* a,
                        Scratch<T>& scratch, const BaseMotion<T>* base) {
  ComputeBodyTwists(tree, v, scratch, base);
  const Twist<T>* const A_base = base == nullptr ? nullptr : &base->A;
  for (int i = 0; i < tree.n; ++i) {
    const TreeBody& body = tree.bodies[i];
    // V̇_i = X_i V̇_λ + ad_{V_i}(A_i) q̇_i + A_i q̈_i
    Twist<T> A = Inherited(body, scratch.X[i], scratch.A, A_base);
    // On a base at rest a root has V_i = A_i q̇_i, and ad_{V_i}(A_i) vanishes.
    const bool turns = body.parent != kBase || base != nullptr;
    if (v != nullptr && turns) {
      A += Bracket(scratch.V[i], JointTwist(body, v[i]));
    }
    if (a != nullptr) A += JointTwist(body, a[i]);
    scratch.A[i] = A;
  }
}

template <class T>
void StoreBodyVectors(const Tree& tree, const Twist<T>* vectors, T* rows) {
  for (int i = 0; i < tree.n; ++i) Store(vectors[i], rows + 6 * i);
}

/// A body's vector at a frame on it, in the frame.
template <class T>
TORQUED_INLINE Twist<T> AtFrame(const BodyFrame& frame, const Twist<T>* vectors,
                                const Twist<T>* of_base) {
  const Transform<T> in_body = {Mat3<T>::Constant(frame.R),
                                Vec3<T>::Constant(frame.p)};
  if (frame.body != kBase) return ToChild(in_body, vectors[frame.body]);
  return of_base == nullptr ? Twist<T>::Zero() : ToChild(in_body, *of_base);
}

template <class T>
void FrameTwist(const Tree& tree, const BodyFrame& frame,
                ReferenceFrame reference, const Scratch<T>& scratch, T* twist,
                const BaseMotion<T>* base) {
  Twist<T> V = AtFrame(frame, scratch.V, base == nullptr ? nullptr : &base->V);
  if (reference != ReferenceFrame::kLocal) {
    const Transform<T> world = FramePlacement(tree, frame, scratch);
    V = reference == ReferenceFrame::kWorld
            ? ToParent(world, V)
            : Twist<T>{world.R * V.w, world.R * V.v};
  }
  Store(V, twist);
}

template <class T>
void FrameAcceleration(const Tree& tree, const BodyFrame& frame,
                       ReferenceFrame reference, AccelerationKind kind,
                       const Scratch<T>& scratch, T* acceleration,
                       const BaseMotion<T>* base) {
  Twist<T> V = AtFrame(frame, scratch.V, base == nullptr ? nullptr : &base->V);
  Twist<T> A = AtFrame(frame, scratch.A, base == nullptr ? nullptr : &base->A);
  const bool classical = kind == AccelerationKind::kClassical;
  if (reference == ReferenceFrame::kWorld) {
    const Transform<T> world = FramePlacement(tree, frame, scratch);
    A = ToParent(world, A);
    if (classical) V = ToParent(world, V);
  }
  if (classical) A.v += Cross(V.w, V.v);
  if (reference == ReferenceFrame::kLocalWorldAligned) {
    const Mat3<T> R = FramePlacement(tree, frame, scratch).R;
    A = {R * A.w, R * A.v};
  }
  Store(A, acceleration);
}

template <class T>
void FrameDrift(const Tree& tree, const BodyFrame& frame,
                ReferenceFrame reference, const T* v, Scratch<T>& scratch,
                T* drift, const BaseMotion<T>* base) {
  // Bodies after the frame's do not move it.
  const Tree first = {frame.body == kBase ? 0 : frame.body + 1, tree.bodies};
  ComputeBodyMotions(first, v, static_cast<const T*>(nullptr), scratch, base);
  const AccelerationKind kind = reference == ReferenceFrame::kLocalWorldAligned
                                    ? AccelerationKind::kClassical
                                    : AccelerationKind::kSpatial;
  FrameAcceleration(tree, frame, reference, kind, scratch, drift, base);
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

// Tip pose, Jacobian and drift on a compiled tree (Lynch & Park 2017, chapter
// 5).
#pragma once

#include "core/dynamics/joint-inl.h"
#include "core/dynamics/quantity.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// The bodies between base and tip, base first, and the tip's frame in the last
/// of them, {k'}.
struct TipFrame {
  const int* path;
  int length;  // none for a tip on the base
  const BodyFrame* frame;
  ReferenceFrame reference;  // of Jacobian and drift

  TORQUED_INLINE int Body() const {
    return length > 0 ? path[length - 1] : kBase;
  }
};

/// Poses in base axes: rotation by rows.
template <class T>
struct PoseRows {
  Vec3<T> r0, r1, r2;
  Vec3<T> p;

  static TORQUED_INLINE PoseRows Identity() {
    const Mat3<T> R = Mat3<T>::Identity();
    return {R.c0, R.c1, R.c2, Vec3<T>::Zero()};
  }
  TORQUED_INLINE Vec3<T> z() const { return {r0.z, r1.z, r2.z}; }
  TORQUED_INLINE Vec3<T> Rotate(const Vec3<T>& v) const {
    return {Dot(r0, v), Dot(r1, v), Dot(r2, v)};
  }
  TORQUED_INLINE Vec3<T> RotateBack(const Vec3<T>& v) const {
    return Fma(r0, v.x, r1 * v.y) + r2 * v.z;
  }
  TORQUED_INLINE Twist<T> RotateBack(const Twist<T>& V) const {
    return {RotateBack(V.w), RotateBack(V.v)};
  }
  /// A twist in base axes about the base's origin as the pose's frame has it.
  TORQUED_INLINE Twist<T> ToChild(const Twist<T>& V) const {
    return RotateBack(Twist<T>{V.w, V.v + Cross(V.w, p)});
  }
};

/// Results of the Jacobian pass.
template <class T>
struct TipPose {
  PoseRows<T> last;  // of the last compiled frame k'
  PoseRows<T> tip;
};

/// Column j of a row-major matrix of 6 x n.
template <class T>
TORQUED_INLINE Twist<T> LoadColumn(const T* matrix, int n, int j) {
  const T* const x = matrix + j;
  return {{x[0], x[n], x[2 * n]}, {x[3 * n], x[4 * n], x[5 * n]}};
}
template <class T>
TORQUED_INLINE void StoreColumn(const Twist<T>& V, int n, int j, T* matrix) {
  T* const x = matrix + j;
  x[0] = V.w.x, x[n] = V.w.y, x[2 * n] = V.w.z;
  x[3 * n] = V.v.x, x[4 * n] = V.v.y, x[5 * n] = V.v.z;
}

/// Pose of a body from that of its parent.
template <class Joint, class T>
TORQUED_INLINE void PlaceChild(const Joint& joint, PoseRows<T>& X) {
  AddShift(joint, Transpose(Mat3<T>{X.r0, X.r1, X.r2}), X.p);
  // The rows of R R_T Rz are the rows of R, turned back.
  TurnToChild(joint, X.r0, X.r1, X.r2);
  if (joint.Slides()) X.p += X.z() * joint.q;
  SpinToChild(joint, X.r0);
  SpinToChild(joint, X.r1);
  SpinToChild(joint, X.r2);
}

/// Poses on the way to the tip. Leaves the axis of each joint on it in rows 0
/// to 2 of J[6 x n] (row-major) and its origin in rows 3 to 5.
template <class T, class N>
TORQUED_ONE_COPY void FramePose(const CompiledTree<N>& tree,
                                const TipFrame& tip,
                                const Configuration<T>& state, T* J,
                                TipPose<T>* pose) {
  const Joints joints(tree, state);
  const int n = tree.n;
  PoseRows<T> X = PoseRows<T>::Identity();
  for (int k = 0; k < tip.length; ++k) {
    const int j = tip.path[k];
    joints.With(j, [&](const auto& joint)
                       TORQUED_INLINE_BODY { PlaceChild(joint, X); });
    StoreColumn(Twist<T>{X.z(), X.p}, n, j, J);
  }
  pose->last = X;
  X.p += X.Rotate(Vec3<T>::Constant(tip.frame->p));
  TurnByTranspose(tip.frame->R, X.r0);
  TurnByTranspose(tip.frame->R, X.r1);
  TurnByTranspose(tip.frame->R, X.r2);
  pose->tip = X;
}

/// From what FramePose left in J to the Jacobian in the tip's reference
/// frame. Columns of joints that do not move the tip are left as they are: zero
/// them once.
template <class T, class N>
TORQUED_ONE_COPY void FrameJacobian(const CompiledTree<N>& tree,
                                    const TipFrame& tip, const TipPose<T>& pose,
                                    T* J) {
  const int n = tree.n;
  const bool local = tip.reference == ReferenceFrame::kLocal;
  const Vec3<T> point =
      tip.reference == ReferenceFrame::kWorld ? Vec3<T>::Zero() : pose.tip.p;
  for (int k = 0; k < tip.length; ++k) {
    const int j = tip.path[k];
    const Twist<T> placed = LoadColumn(J, n, j);
    const Vec3<T>&z = placed.w, &o = placed.v;
    Twist<T> S = Screw(tree.bodies[j], z, Cross(z, point - o));
    if (local) S = pose.tip.RotateBack(S);
    StoreColumn(S, n, j, J);
  }
}

/// Motion of the tip's body, or of the base; nothing is subtracted from its
/// acceleration: at rest it is exactly zero. Null: the base rests.
template <class T, class N>
TORQUED_ONE_COPY void FrameMotion(const CompiledTree<N>& tree,
                                  const TipFrame& tip,
                                  const Configuration<T>& state,
                                  const BaseMotion<T>* base,
                                  LinkMotion<T>* motion) {
  const Joints joints(tree, state);
  LinkMotion<T> m = base == nullptr ? LinkMotion<T>::Zero()
                                    : MotionOfBase(*base, Vec3<T>::Zero());
  for (int k = 0; k < tip.length; ++k) {
    const int i = tip.path[k];
    const T &v = state.v[i], &a = state.a[i];
    if (k == 0 && base == nullptr) {
      m = PropagateRoot(joints[i], Vec3<T>::Zero(), v, a);
    } else {
      PropagateMotion(joints[i], v, a, m);
    }
  }
  *motion = m;
}

/// The tip's twist in its reference frame.
template <class T, class N>
TORQUED_INLINE Twist<T> TipTwist(const CompiledTree<N>& tree,
                                 const TipFrame& tip, const T* v,
                                 const BaseMotion<T>* base,
                                 const TipPose<T>& pose, const T* J) {
  Twist<T> V = Twist<T>::Zero();
  for (int k = 0; k < tip.length; ++k) {
    const int j = tip.path[k];
    V += LoadColumn(J, tree.n, j) * v[j];
  }
  if (base == nullptr) return V;
  Twist<T> carried = base->V;
  if (tip.reference != ReferenceFrame::kWorld) {
    carried.v += Cross(carried.w, pose.tip.p);
  }
  if (tip.reference == ReferenceFrame::kLocal) {
    carried = pose.tip.RotateBack(carried);
  }
  return V + carried;
}

/// drift[6] = J̇ q̇ from the motion of the tip's body at q̈ = 0; `gravity` is
/// what was subtracted from its acceleration. If the base moves, its share is
/// included.
template <class T, class N>
TORQUED_INLINE void JacobianDrift(
    const CompiledTree<N>& tree, const TipFrame& tip, const T* v,
    const BaseMotion<T>* base, const Vec3<T>& gravity,
    const LinkMotion<T>& motion, const TipPose<T>& pose, const T* J, T* drift) {
  // a + B p, the acceleration of the tip's origin
  Vec3<T> in_link = motion.a;
  in_link += motion.B.c0 * T(tip.frame->p[0]);
  in_link += motion.B.c1 * T(tip.frame->p[1]);
  in_link += motion.B.c2 * T(tip.frame->p[2]);
  Vec3<T> angular = pose.last.Rotate(motion.wd);
  // The tip's acceleration as the derivative of its velocity.
  Vec3<T> linear = pose.last.Rotate(in_link) + gravity;
  if (tip.reference != ReferenceFrame::kLocalWorldAligned) {
    const Twist<T> V = TipTwist(tree, tip, v, base, pose, J);
    if (tip.reference == ReferenceFrame::kLocal) {
      angular = pose.tip.RotateBack(angular);
      linear = pose.tip.RotateBack(linear) - Cross(V.w, V.v);
    } else {
      // From the tip to the base's origin; V.v is that of the point there.
      const Vec3<T> at_tip = V.v + Cross(V.w, pose.tip.p);
      linear = linear - Cross(V.w, at_tip) + Cross(pose.tip.p, angular);
    }
  }
  drift[0] = angular.x, drift[1] = angular.y, drift[2] = angular.z;
  drift[3] = linear.x, drift[4] = linear.y, drift[5] = linear.z;
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

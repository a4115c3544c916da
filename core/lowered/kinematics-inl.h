// Tip pose, Jacobian and drift on a lowered tree (Lynch & Park 2017, chapter
// 5).
#pragma once

#include "core/lowered/joint-inl.h"
#include "core/lowered/motion-inl.h"
#include "core/lowered/scratch.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// The bodies between base and tip, base first, and the tip's frame in the last
/// of them.
template <class N>
struct LoweredTip {
  const int* path;
  int length;  // none for a tip on the base
  N R[9];      // T_{k',tip}, row-major; k = path[length - 1]
  N p[3];
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
  TORQUED_INLINE Vec3<T> Rotate(const Vec3<T>& v) const {
    return {Dot(r0, v), Dot(r1, v), Dot(r2, v)};
  }
  TORQUED_INLINE Vec3<T> RotateBack(const Vec3<T>& v) const {
    return Fma(r0, v.x, r1 * v.y) + r2 * v.z;
  }
};

/// What the Jacobian pass leaves behind.
template <class T>
struct TipPose {
  PoseRows<T> last;  // of the last lowered frame k'
  PoseRows<T> tip;
};

/// Pose of a body from that of its parent.
template <class Step, class T, class N>
TORQUED_INLINE void PlaceChild(Step step, const LoweredBody<N>& body,
                               const T& s, const T& c, const T& q,
                               PoseRows<T>& X) {
  X.p = AddShift(step, body, X.p, Vec3<T>{X.r0.x, X.r1.x, X.r2.x},
                 Vec3<T>{X.r0.y, X.r1.y, X.r2.y},
                 Vec3<T>{X.r0.z, X.r1.z, X.r2.z});
  // The rows of R R_T Rz are the rows of R, turned back.
  TurnToChild(step, body, X.r0, X.r1, X.r2);
  if (!step.IsRevolute(body)) {
    X.p += Vec3<T>{X.r0.z, X.r1.z, X.r2.z} * q;
  }
  X.r0 = SpinToChild(s, c, X.r0);
  X.r1 = SpinToChild(s, c, X.r1);
  X.r2 = SpinToChild(s, c, X.r2);
}

/// Poses on the way to the tip. Leaves the axis of each joint on it in rows 0
/// to 2 of J[6 x n] (row-major) and its origin in rows 3 to 5.
template <class T, class N>
TORQUED_ONE_COPY void LoweredTipPose(const LoweredTreeOf<N>& tree,
                                     const LoweredTip<N>& tip,
                                     const LoweredState<T>& state, T* J,
                                     TipPose<T>* pose) {
  const int n = tree.n;
  const T *s = state.s, *c = state.c, *q = state.q;
  PoseRows<T> X = PoseRows<T>::Identity();
  for (int k = 0; k < tip.length; ++k) {
    const int j = tip.path[k];
    const LoweredBody<N>& body = tree.bodies[j];
    WithStep(body, [&](auto step) TORQUED_INLINE_BODY {
      PlaceChild(step, body, s[j], c[j], q[j], X);
    });
    T* column = J + j;
    column[0 * n] = X.r0.z;
    column[1 * n] = X.r1.z;
    column[2 * n] = X.r2.z;
    column[3 * n] = X.p.x;
    column[4 * n] = X.p.y;
    column[5 * n] = X.p.z;
  }
  pose->last = X;
  X.p += X.Rotate({T(tip.p[0]), T(tip.p[1]), T(tip.p[2])});
  TurnByTranspose(tip.R, X.r0);
  TurnByTranspose(tip.R, X.r1);
  TurnByTranspose(tip.R, X.r2);
  pose->tip = X;
}

/// From what LoweredTipPose left in J to the Jacobian in the tip's reference
/// frame. Columns of joints that do not move the tip are left as they are: zero
/// them once.
template <class T, class N>
TORQUED_ONE_COPY void LoweredJacobian(const LoweredTreeOf<N>& tree,
                                      const LoweredTip<N>& tip,
                                      const TipPose<T>& pose, T* J) {
  const int n = tree.n;
  const bool local = tip.reference == ReferenceFrame::kLocal;
  const Vec3<T> point =
      tip.reference == ReferenceFrame::kWorld ? Vec3<T>::Zero() : pose.tip.p;
  for (int k = 0; k < tip.length; ++k) {
    const int j = tip.path[k];
    T* column = J + j;
    const Vec3<T> z = {column[0 * n], column[1 * n], column[2 * n]};
    const Vec3<T> o = {column[3 * n], column[4 * n], column[5 * n]};
    Vec3<T> w = Vec3<T>::Zero(), v = z;
    if (tree.bodies[j].motion == JointMotion::kRevolute) {
      // (z; z × (point − o))
      w = z;
      v = Cross(z, point - o);
    }
    if (local) {
      w = pose.tip.RotateBack(w);
      v = pose.tip.RotateBack(v);
    }
    column[0 * n] = w.x;
    column[1 * n] = w.y;
    column[2 * n] = w.z;
    column[3 * n] = v.x;
    column[4 * n] = v.y;
    column[5 * n] = v.z;
  }
}

/// Motion of the tip's body, or of the base; nothing is subtracted from its
/// acceleration: at rest it is exactly zero. Null: the base rests.
template <class T, class N>
TORQUED_ONE_COPY void LoweredTipMotion(const LoweredTreeOf<N>& tree,
                                       const LoweredTip<N>& tip,
                                       const LoweredState<T>& state,
                                       const BaseMotion<T>* base,
                                       LinkMotion<T>* motion) {
  LinkMotion<T> m = base == nullptr ? LinkMotion<T>::Zero()
                                    : MotionOfBase(*base, Vec3<T>::Zero());
  for (int k = 0; k < tip.length; ++k) {
    const int i = tip.path[k];
    const LoweredBody<N>& body = tree.bodies[i];
    if (k == 0 && base == nullptr) {
      m = MoveRoot(body, Vec3<T>::Zero(), state.s[i], state.c[i], state.v[i],
                   state.a[i]);
    } else {
      MoveChild(AnyStep{}, body, state.s[i], state.c[i], state.q[i], state.v[i],
                state.a[i], m);
    }
  }
  *motion = m;
}

/// The tip's twist in its reference frame.
template <class T, class N>
TORQUED_INLINE Twist<T> LoweredTipTwist(const LoweredTreeOf<N>& tree,
                                        const LoweredTip<N>& tip, const T* v,
                                        const BaseMotion<T>* base,
                                        const TipPose<T>& pose, const T* J) {
  const int n = tree.n;
  Twist<T> V = Twist<T>::Zero();
  for (int k = 0; k < tip.length; ++k) {
    const int j = tip.path[k];
    V.w += Vec3<T>{J[0 * n + j], J[1 * n + j], J[2 * n + j]} * v[j];
    V.v += Vec3<T>{J[3 * n + j], J[4 * n + j], J[5 * n + j]} * v[j];
  }
  if (base == nullptr) return V;
  Twist<T> carried = base->V;
  if (tip.reference != ReferenceFrame::kWorld) {
    carried.v += Cross(carried.w, pose.tip.p);
  }
  if (tip.reference == ReferenceFrame::kLocal) {
    carried = {pose.tip.RotateBack(carried.w), pose.tip.RotateBack(carried.v)};
  }
  return V + carried;
}

/// drift[6] = J̇ q̇ from the motion of the tip's body at q̈ = 0; `gravity` is
/// what was subtracted from its acceleration. Of a base that moves it has the
/// share.
template <class T, class N>
TORQUED_INLINE void LoweredDrift(const LoweredTreeOf<N>& tree,
                                 const LoweredTip<N>& tip, const T* v,
                                 const BaseMotion<T>* base,
                                 const Vec3<T>& gravity,
                                 const LinkMotion<T>& motion,
                                 const TipPose<T>& pose, const T* J, T* drift) {
  // a + B p, the acceleration of the tip's origin
  Vec3<T> in_link = motion.a;
  in_link += motion.B.c0 * T(tip.p[0]);
  in_link += motion.B.c1 * T(tip.p[1]);
  in_link += motion.B.c2 * T(tip.p[2]);
  Vec3<T> angular = pose.last.Rotate(motion.wd);
  // The tip's acceleration as the derivative of its velocity.
  Vec3<T> linear = pose.last.Rotate(in_link) + gravity;
  if (tip.reference != ReferenceFrame::kLocalWorldAligned) {
    const Twist<T> V = LoweredTipTwist(tree, tip, v, base, pose, J);
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

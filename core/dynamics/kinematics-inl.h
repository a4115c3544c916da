#pragma once

#include "core/dynamics/joint-inl.h"
#include "core/dynamics/kinematics.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// exp([a] q) for a unit axis: Rodrigues, cos 1 + sin [a] + (1 − cos) a aᵀ.
template <class T>
TORQUED_INLINE Mat3<T> AxisRotation(const Vec3<T>& a, const T& q) {
  T s, c;
  SinCos(q, s, c);
  const T k = T(1) - c;
  const T xy = k * a.x * a.y, xz = k * a.x * a.z, yz = k * a.y * a.z;
  return {{c + k * a.x * a.x, xy + s * a.z, xz - s * a.y},
          {xy - s * a.z, c + k * a.y * a.y, yz + s * a.x},
          {xz + s * a.y, yz - s * a.x, c + k * a.z * a.z}};
}

template <class T>
void ComputePlacements(const Tree& tree, const T* q, Scratch<T>& scratch) {
  for (int i = 0; i < tree.n; ++i) {
    const TreeBody& body = tree.bodies[i];
    const Mat3<T> R = Mat3<T>::Constant(body.R);
    const Vec3<T> p = Vec3<T>::Constant(body.p);
    const Vec3<T> axis = Vec3<T>::Constant(body.axis);
    if (body.motion == JointMotion::kRevolute) {
      scratch.X[i] = {R * AxisRotation(axis, q[i]), p};
    } else {
      scratch.X[i] = {R, p + R * (axis * q[i])};
    }
  }
}

template <class T>
void ComputeWorldPlacements(const Tree& tree, Scratch<T>& scratch) {
  for (int i = 0; i < tree.n; ++i) {
    const int parent = tree.bodies[i].parent;
    scratch.X_world[i] =
        parent == kBase ? scratch.X[i] : scratch.X_world[parent] * scratch.X[i];
  }
}

template <class T>
Transform<T> FramePlacement(const Tree& /*tree*/, const BodyFrame& frame,
                            const Scratch<T>& scratch) {
  const Transform<T> in_body = {Mat3<T>::Constant(frame.R),
                                Vec3<T>::Constant(frame.p)};
  return frame.body == kBase ? in_body : scratch.X_world[frame.body] * in_body;
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

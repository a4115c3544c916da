// Placements of the bodies.
#pragma once

#include "core/math/motion.h"
#include "core/tree/tree.h"

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

/// X_i = T_{λ(i),i}(q) = M_i exp([A_i] q_i) from q[n], rad or m
/// (Lynch & Park 2017, eq. 8.50).
template <class T>
void ComputePlacements(const Tree& tree, const T* q, Transform<T>* X) {
  for (int i = 0; i < tree.n; ++i) {
    const TreeBody& body = tree.bodies[i];
    const Mat3<T> R = Mat3<T>::Constant(body.R);
    const Vec3<T> p = Vec3<T>::Constant(body.p);
    const Vec3<T> axis = Vec3<T>::Constant(body.axis);
    if (body.motion == JointMotion::kRevolute) {
      X[i] = {R * AxisRotation(axis, q[i]), p};
    } else {
      X[i] = {R, p + R * (axis * q[i])};
    }
  }
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

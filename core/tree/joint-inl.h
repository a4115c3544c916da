// A joint of the tree as it was given: its screw A_i, where its body stands,
// and that body's inertia.
#pragma once

#include "core/math/inertia.h"
#include "core/tree/tree.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// A_i s.
inline Twist<double> JointTwist(const TreeBody& body, double s) {
  const auto axis = Vec3<double>::Constant(body.axis) * s;
  if (body.motion == JointMotion::kRevolute) return {axis, {}};
  return {{}, axis};
}

/// A_iᵀ F.
inline double JointProjection(const TreeBody& body, const Wrench<double>& f) {
  return Dot(Vec3<double>::Constant(body.axis),
             body.motion == JointMotion::kRevolute ? f.m : f.f);
}

/// G_i at the origin of {i}, all links fixed to body i lumped in.
inline SpatialInertia<double> BodyInertia(const TreeBody& body) {
  return {body.mass, Vec3<double>::Constant(body.h),
          Sym3<double>::Constant(body.I)};
}

/// exp([a] q) for a unit axis: Rodrigues, cos 1 + sin [a] + (1 − cos) a aᵀ.
inline Mat3<double> AxisRotation(const Vec3<double>& a, double q) {
  const double s = __builtin_sin(q), c = __builtin_cos(q), k = 1 - c;
  const double xy = k * a.x * a.y, xz = k * a.x * a.z, yz = k * a.y * a.z;
  return {{c + k * a.x * a.x, xy + s * a.z, xz - s * a.y},
          {xy - s * a.z, c + k * a.y * a.y, yz + s * a.x},
          {xz + s * a.y, yz - s * a.x, c + k * a.z * a.z}};
}

/// X_i = T_{λ(i),i}(q) = M_i exp([A_i] q_i) from q[n], rad or m
/// (Lynch & Park 2017, eq. 8.50).
inline void ComputePlacements(const Tree& tree, const double* q,
                              Transform<double>* X) {
  for (int i = 0; i < tree.n; ++i) {
    const TreeBody& body = tree.bodies[i];
    const auto R = Mat3<double>::Constant(body.R);
    const auto p = Vec3<double>::Constant(body.p);
    const auto axis = Vec3<double>::Constant(body.axis);
    if (body.motion == JointMotion::kRevolute) {
      X[i] = {R * AxisRotation(axis, q[i]), p};
    } else {
      X[i] = {R, p + R * (axis * q[i])};
    }
  }
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

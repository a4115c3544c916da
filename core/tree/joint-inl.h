// What an algorithm does with a joint's screw A_i, for both joint motions.
#pragma once

#include "core/math/inertia.h"
#include "core/tree/tree.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// A_i s.
template <class T>
TORQUED_INLINE Twist<T> JointTwist(const TreeBody& body, const T& s) {
  const Vec3<T> axis = Vec3<T>::Constant(body.axis) * s;
  if (body.motion == JointMotion::kRevolute) return {axis, Vec3<T>::Zero()};
  return {Vec3<T>::Zero(), axis};
}

/// A_iᵀ F.
template <class T>
TORQUED_INLINE T JointProjection(const TreeBody& body, const Wrench<T>& f) {
  const Vec3<T> axis = Vec3<T>::Constant(body.axis);
  return Dot(axis, body.motion == JointMotion::kRevolute ? f.m : f.f);
}

/// G_i at the origin of {i}, all links fixed to body i lumped in.
template <class T>
TORQUED_INLINE SpatialInertia<T> BodyInertia(const TreeBody& body) {
  return {T(body.mass), Vec3<T>::Constant(body.h), Sym3<T>::Constant(body.I)};
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

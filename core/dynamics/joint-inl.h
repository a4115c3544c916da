// What an algorithm does with a joint's screw A_i, for both joint motions.
#pragma once

#include "core/dynamics/scratch.h"
#include "core/model/tree.h"

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

/// F_v v + F_s sgn(v) of one joint, the terms that are switched on.
template <class T>
TORQUED_INLINE T JointFriction(const TreeBody& body, bool viscous, bool coulomb,
                               const T& v) {
  T friction(0);
  if (viscous) friction = friction + T(body.viscous_friction) * v;
  if (coulomb) friction = friction + T(body.coulomb_friction) * Sign(v);
  return friction;
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

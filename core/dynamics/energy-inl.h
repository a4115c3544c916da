#pragma once

#include "core/dynamics/energy.h"
#include "core/dynamics/joint-inl.h"
#include "core/dynamics/link_motion-inl.h"
#include "core/dynamics/momentum-inl.h"

namespace torqued {
inline namespace TORQUED_TARGET {

template <class T>
T KineticEnergy(const Tree& tree, const T* v, Scratch<T>& scratch,
                const BaseMotion<T>* base) {
  ComputeBodyTwists(tree, v, scratch, base);
  T twice(0);
  for (int i = 0; i < tree.n; ++i) {
    const TreeBody& body = tree.bodies[i];
    const Twist<T>& V = scratch.V[i];
    twice = twice + Dot(BodyInertia<T>(body) * V, V);
    if (v != nullptr) twice = twice + T(body.armature) * v[i] * v[i];
  }
  return twice * T(0.5);
}

template <class T>
T PotentialEnergy(const Tree& tree, const double* gravity,
                  const Scratch<T>& scratch, const BaseMotion<T>* base) {
  Vec3<T> g = Vec3<T>::Constant(gravity);
  if (base != nullptr) g += base->g;
  return -Dot(g, FirstMoment(tree, scratch));
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

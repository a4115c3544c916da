#pragma once

#include "core/dynamics/friction-inl.h"
#include "core/dynamics/jacobian-inl.h"
#include "core/dynamics/link_motion-inl.h"
#include "core/dynamics/power.h"
#include "core/dynamics/rnea-inl.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// Σ Wᵀ V over the list. Needs V and X_world.
template <class T>
TORQUED_INLINE T PowerOf(const Tree& tree, const WrenchList<T>& list,
                         const Scratch<T>& scratch) {
  T power(0);
  for (int k = 0; k < list.count; ++k) {
    const WrenchPlace& place = list.places[k];
    if (place.frame.body == kBase) continue;
    const Wrench<T> W = WrenchInBody(tree, place.frame, place.reference,
                                     list.numbers + 6 * k, scratch);
    power = power + Dot(W, scratch.V[place.frame.body]);
  }
  return power;
}

template <class T>
void PowerBalance(const Tree& tree, const DynamicsTerms& terms, const T* v,
                  const T* a, const AppliedWrenches<T>& wrenches,
                  Scratch<T>& scratch, T* tau, T* power,
                  const BaseMotion<T>* base) {
  for (int k = 0; k < kPowerShareCount; ++k) power[k] = T(0);
  InverseDynamics(tree, terms, v, a, scratch, tau, base);
  if (base != nullptr) {
    T reaction[6];
    BaseReaction(tree, scratch, reaction);
    const Wrench<T> F = {{reaction[0], reaction[1], reaction[2]},
                         {reaction[3], reaction[4], reaction[5]}};
    power[kBasePower] = Dot(F, base->V);
  }
  for (int i = 0; i < tree.n && v != nullptr; ++i) {
    const TreeBody& body = tree.bodies[i];
    power[kActuatorPower] += tau[i] * v[i];
    if (terms.viscous_friction) {
      power[kViscousPower] -= T(body.viscous_friction) * v[i] * v[i];
    }
    if (terms.coulomb_friction) {
      power[kCoulombPower] -= CoulombFriction(body, terms, v[i]) * v[i];
    }
    if (a != nullptr) power[kKineticRate] += T(body.armature) * v[i] * a[i];
  }

  ComputeBodyMotions(tree, v, a, scratch, base);
  Vec3<T> momentum = Vec3<T>::Zero();
  for (int i = 0; i < tree.n; ++i) {
    // d(½ Vᵀ G V)/dt = V̇ᵀ G V in body axes; dP/dt = −gᵀ Σ m ṗ_com
    const Wrench<T> h = BodyInertia<T>(tree.bodies[i]) * scratch.V[i];
    power[kKineticRate] += Dot(h, scratch.A[i]);
    momentum += scratch.X_world[i].R * h.f;
  }
  Vec3<T> g = Vec3<T>::Constant(terms.gravity);
  if (base != nullptr) g += base->g;
  // Subtracted from a zero that has no sign of its own.
  power[kPotentialRate] -= Dot(g, momentum);
  power[kTipPower] -= PowerOf(tree, wrenches.on_environment, scratch);
  power[kExternalPower] = PowerOf(tree, wrenches.on_robot, scratch);
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

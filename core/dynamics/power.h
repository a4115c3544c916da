// Where a robot's energy comes from and goes to.
#pragma once

#include "core/dynamics/applied_wrenches.h"
#include "core/dynamics/rnea.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// W each. The first two are the rates of energies; the rest, whose sum is the
/// sum of these two, are the powers of what acts on the robot.
enum PowerShare {
  kKineticRate,    // dK/dt, rotors (armature) included
  kPotentialRate,  // dP/dt, of a P in an inertial frame
  kActuatorPower,  // τᵀ q̇, τ of inverse dynamics
  kViscousPower,   // −q̇ᵀ F_v q̇
  kCoulombPower,   // −Σ F_s sgn(q̇) q̇
  kTipPower,       // −Fᵀ V of what the robot exerts on the environment
  kExternalPower,  // Wᵀ V of what acts on the robot
  kBasePower,      // V_0ᵀ F_base
  kPowerShareCount
};

/// power[kPowerShareCount] at q, v, a; null v or a means zeros. `wrenches` are
/// those of scratch.W (see ApplyWrenches), to tell them apart. Needs X and
/// X_world; uses V, A, F; tau[n] is left there as by InverseDynamics.
template <class T>
void PowerBalance(const Tree& tree, const DynamicsTerms& terms, const T* v,
                  const T* a, const AppliedWrenches<T>& wrenches,
                  Scratch<T>& scratch, T* tau, T* power,
                  const BaseMotion<T>* base = nullptr);

}  // namespace TORQUED_TARGET
}  // namespace torqued

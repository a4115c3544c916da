// Centre of mass and momentum of the whole robot (Orin, Goswami & Lee 2013).
//
// All that joints move counts; links fixed to the base do not. A robot without
// mass has no centre of mass: its place is then the base origin and its
// velocity zero.
#pragma once

#include "core/dynamics/base_motion.h"
#include "core/dynamics/scratch.h"
#include "core/model/tree.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// kg.
TORQUED_INLINE double TotalMass(const Tree& tree) {
  double mass = 0;
  for (int i = 0; i < tree.n; ++i) mass += tree.bodies[i].mass;
  return mass;
}

/// com[3] in base axes from the base origin, m. Needs X_world.
template <class T>
void CenterOfMass(const Tree& tree, const Scratch<T>& scratch, T* com);

/// In base axes: com[3], its velocity com_velocity[3], and momentum[6]
/// (angular; linear) of the whole robot about its centre of mass, h_G = A_G q̇
/// on a base at rest. On a moving base velocity and momentum are those against
/// the inertial frame. Rotors (armature) have no part in it. Needs X and
/// X_world; uses V. Null v means zeros.
template <class T>
void CentroidalMomentum(const Tree& tree, const T* v, Scratch<T>& scratch,
                        T* com, T* com_velocity, T* momentum,
                        const BaseMotion<T>* base = nullptr);

/// A_G[6 x n], row-major, rows (angular; linear). Needs X and X_world; uses Gc.
template <class T>
void CentroidalMomentumMatrix(const Tree& tree, Scratch<T>& scratch, T* A_G);

/// J[3 x n], ṗ_com = J q̇: the linear rows of A_G over the total mass.
template <class T>
void CenterOfMassJacobian(const Tree& tree, const T* A_G, T* J);

}  // namespace TORQUED_TARGET
}  // namespace torqued

// Inverse dynamics by recursive Newton-Euler (Featherstone 2008, section 5.3;
// Lynch & Park 2017, section 8.3).
#pragma once

#include "core/dynamics/base_motion.h"
#include "core/dynamics/scratch.h"
#include "core/model/tree.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// Terms that every algorithm about forces takes.
struct DynamicsTerms {
  double gravity[3];  // m/s², base axes
  bool viscous_friction;
  bool coulomb_friction;
  /// Add scratch.W, external wrenches acting on the bodies, each in {i}.
  bool external_wrenches;
  /// ε, rad/s or m/s: Coulomb friction is F_s tanh(q̇ / ε). 0: F_s sgn(q̇).
  double coulomb_smoothing = 0;
};

/// tau[n] = M a + c(q, v) + g(q) + friction − Σ J_iᵀ W_i. Needs X. Armature is
/// part of M. Null v or a means zeros. On a moving base tau has also what its
/// motion takes. Uses scratch.V, A, F: afterwards F[i] is the wrench that
/// passes through joint i from λ(i) to i, in {i}.
template <class T>
void InverseDynamics(const Tree& tree, const DynamicsTerms& terms, const T* v,
                     const T* a, Scratch<T>& scratch, T* tau,
                     const BaseMotion<T>* base = nullptr);

/// n rows of 6 numbers (moment; force), the wrenches F_i through the joints, in
/// {i}, as InverseDynamics leaves them. A_iᵀ F_i is tau without armature and
/// friction, which act between the two bodies of a joint.
template <class T>
void JointWrenches(const Tree& tree, const Scratch<T>& scratch, T* wrenches);

/// 6 numbers (moment; force), what the base exerts on the robot: Σ X_iᵀ F_i
/// over the roots, in base axes about the base origin. After InverseDynamics.
/// Of the base itself nothing is in it: no mass, no external wrench.
template <class T>
void BaseReaction(const Tree& tree, const Scratch<T>& scratch, T* wrench);

}  // namespace TORQUED_TARGET
}  // namespace torqued

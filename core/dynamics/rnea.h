// Inverse dynamics by recursive Newton-Euler (Featherstone 2008, section 5.3;
// Lynch & Park 2017, section 8.3).
#pragma once

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
};

/// tau[n] = M a + c(q, v) + g(q) + friction − Σ J_iᵀ W_i. Needs X. Armature is
/// part of M. Null v or a means zeros. Uses scratch.V, A, F: afterwards F[i] is
/// the wrench that passes through joint i from λ(i) to i, in {i}.
template <class T>
void InverseDynamics(const Tree& tree, const DynamicsTerms& terms, const T* v,
                     const T* a, Scratch<T>& scratch, T* tau);

}  // namespace TORQUED_TARGET
}  // namespace torqued

// Forward dynamics by the articulated-body algorithm (Featherstone 2008,
// section 7.3).
#pragma once

#include "core/dynamics/rnea.h"
#include "core/dynamics/scratch.h"
#include "core/model/tree.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// a[n] with M a + c + g + friction − Σ J_iᵀ W_i = tau. Needs X. Null v means
/// zeros; on a moving base a is still against the base. Uses V, A, F, Ga, U, d,
/// u: afterwards d[i] is the pivot of joint i, the inertia it feels with all
/// joints beyond it free. A pivot that is not positive means a joint that moves
/// no mass; a is then not finite.
template <class T>
void ForwardDynamics(const Tree& tree, const DynamicsTerms& terms, const T* v,
                     const T* tau, Scratch<T>& scratch, T* a,
                     const BaseMotion<T>* base = nullptr);

}  // namespace TORQUED_TARGET
}  // namespace torqued

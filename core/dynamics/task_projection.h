// Dynamically consistent inverse and null-space projector of a task (Khatib
// 1987).
#pragma once

#include "core/spatial/scalar.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// J̄[n x m] = M⁻¹ Jᵀ Λ, row-major, from the task Jacobian J (m x n), the
/// factors LD of M (see FactorLdlt) and Λ[m x m]. `work` holds n numbers.
/// With Λ = W⁻¹, J J̄ = 1; with a range-restricted Λ it projects on range(J);
/// with a damped Λ it is neither.
template <class T>
void DynamicallyConsistentInverse(int m, int n, const T* J, const T* LD,
                                  const T* lambda, T* work, T* J_bar);

/// N[n x n] = 1 − J̄ J, row-major. Unless Λ is damped, N² = N, J N = 0 and
/// M N = Nᵀ M: torques Nᵀ τ_0 leave the task's acceleration alone.
template <class T>
void NullSpaceProjector(int m, int n, const T* J, const T* J_bar, T* N);

}  // namespace TORQUED_TARGET
}  // namespace torqued

// What operational-space quantities are made of: the mobility of a task.
#pragma once

#include "core/spatial/scalar.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// For a task Jacobian J (m x n, row-major), the factors LD of the mass matrix
/// (see FactorLdlt), bias forces h[n] and drift[m]:
///   W[m x m] = J M⁻¹ Jᵀ,   r[m] = J M⁻¹ h − drift,
/// so that Λ = W⁻¹ and η = Λ r (Khatib 1987). One forward substitution:
/// Y = L⁻¹ [Jᵀ | h], W = Y_Jᵀ D⁻¹ Y_J. Y is scratch, (m + 1) x n.
template <class T>
void TaskMobility(int m, int n, const T* J, const T* LD, const T* h,
                  const T* drift, T* Y, T* W, T* r);

}  // namespace TORQUED_TARGET
}  // namespace torqued

// What operational-space quantities are made of: the mobility of a task.
#pragma once

#include "core/dynamics/ldlt-inl.h"
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
                  const T* drift, T* Y, T* W, T* r) {
  for (int k = 0; k < m * n; ++k) Y[k] = J[k];
  for (int k = 0; k < n; ++k) Y[m * n + k] = h[k];
  for (int i = 0; i <= m; ++i) ForwardSubstitute(n, LD, Y + i * n);
  // W_ij = Σ_k Y_ik Y_jk / D_k;  r_i = Σ_k Y_ik Y_hk / D_k − drift_i
  for (int i = 0; i < m; ++i) {
    for (int j = i; j <= m; ++j) {
      T sum(0);
      for (int k = 0; k < n; ++k) {
        sum = sum + Y[i * n + k] * Y[j * n + k] / LD[k * n + k];
      }
      if (j == m) {
        r[i] = sum - drift[i];
      } else {
        W[i * m + j] = sum;
        W[j * m + i] = sum;
      }
    }
  }
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

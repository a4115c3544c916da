// Dynamically consistent inverse and null-space projector of a task (Khatib
// 1987).
#pragma once

#include "core/dynamics/ldlt-inl.h"
#include "core/spatial/scalar.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// J̄ with `solve(x)`, x ← M⁻¹ x, and `lambda(i, j)`, for factors and Λ stored
/// in any way; `rows` are the m rows of J.
template <class T, class Row, class Solve, class Lambda>
TORQUED_INLINE void ConsistentInverse(int m, int n, const Row& row,
                                      const Solve& solve, const Lambda& lambda,
                                      T* work, T* J_bar) {
  for (int k = 0; k < n * m; ++k) J_bar[k] = T(0);
  for (int i = 0; i < m; ++i) {
    const T* const row_i = row(i);
    for (int k = 0; k < n; ++k) work[k] = row_i[k];
    solve(work);
    for (int k = 0; k < n; ++k) {
      for (int j = 0; j < m; ++j) {
        T& entry = J_bar[k * m + j];
        entry = entry + work[k] * lambda(i, j);
      }
    }
  }
}

/// J̄[n x m] = M⁻¹ Jᵀ Λ, row-major, from the task Jacobian J (m x n), the
/// factors LD of M (see FactorLdlt) and Λ[m x m]. `work` holds n numbers.
/// With Λ = W⁻¹, J J̄ = 1; with a range-restricted Λ it projects on range(J);
/// with a damped Λ it is neither.
template <class T>
void DynamicallyConsistentInverse(int m, int n, const T* J, const T* LD,
                                  const T* lambda, T* work, T* J_bar) {
  ConsistentInverse(
      m, n, [=](int i) TORQUED_INLINE_BODY { return J + i * n; },
      [=](T* x) TORQUED_INLINE_BODY { SolveLdlt(n, LD, x); },
      [=](int i, int j) TORQUED_INLINE_BODY { return lambda[i * m + j]; }, work,
      J_bar);
}

/// 1 − J̄ J; `row(k)` is row k of J.
template <class T, class Row>
TORQUED_INLINE void ProjectOnNullSpace(int m, int n, const Row& row,
                                       const T* J_bar, T* N) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      T entry(i == j ? 1 : 0);
      for (int k = 0; k < m; ++k) {
        entry = entry - J_bar[i * m + k] * row(k)[j];
      }
      N[i * n + j] = entry;
    }
  }
}

/// N[n x n] = 1 − J̄ J, row-major. Unless Λ is damped, N² = N, J N = 0 and
/// M N = Nᵀ M: torques Nᵀ τ_0 leave the task's acceleration alone.
template <class T>
void NullSpaceProjector(int m, int n, const T* J, const T* J_bar, T* N) {
  ProjectOnNullSpace(
      m, n, [=](int k) TORQUED_INLINE_BODY { return J + k * n; }, J_bar, N);
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

// Joint torques for a wanted acceleration of a task (Khatib 1987).
#pragma once

#include "core/dynamics/ldlt-inl.h"
#include "core/spatial/scalar.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// With `row(i)`, the rows of J, `solve(x)`, x ← M⁻¹ x, and `lambda(i, j)`, for
/// factors and Λ stored in any way.
template <class T, class Row, class Solve, class Lambda>
TORQUED_INLINE void TorqueOfTask(int m, int n, const Row& row,
                                 const Solve& solve, const Lambda& lambda,
                                 const T* h, const T* drift, const T* wanted,
                                 const T* null_space, T* work, T* tau) {
  for (int k = 0; k < n; ++k) {
    tau[k] = null_space == nullptr ? T(0) : null_space[k];
    work[k] = h[k] - tau[k];
  }
  solve(work);
  T r[6];
  for (int i = 0; i < m; ++i) {
    const T* const row_i = row(i);
    r[i] = wanted == nullptr ? -drift[i] : wanted[i] - drift[i];
    for (int k = 0; k < n; ++k) r[i] = r[i] + row_i[k] * work[k];
  }
  for (int i = 0; i < m; ++i) {
    T force(0);
    for (int j = 0; j < m; ++j) force = force + lambda(i, j) * r[j];
    const T* const row_i = row(i);
    for (int k = 0; k < n; ++k) tau[k] = tau[k] + row_i[k] * force;
  }
}

/// tau[n] = Jᵀ (Λ a* + η) + Nᵀ τ_0 with a* = wanted[m]: the task accelerates at
/// a*, whatever the torques τ_0 = null_space[n]; null means zeros. h[n] are the
/// bias forces, less what external wrenches give; drift[m] is J̇ q̇. J is m x n,
/// LD has the factors of M (see FactorLdlt), lambda[m x m] is Λ; `work` holds n
/// numbers. Where Λ is restricted to range(J), the acceleration is that part of
/// a* that J can give. As it stands it is computed as
///   τ_0 + Jᵀ Λ (a* − J̇ q̇ + J M⁻¹ (h − τ_0)).
template <class T>
void TaskTorque(int m, int n, const T* J, const T* LD, const T* lambda,
                const T* h, const T* drift, const T* wanted,
                const T* null_space, T* work, T* tau) {
  TorqueOfTask(
      m, n, [=](int i) TORQUED_INLINE_BODY { return J + i * n; },
      [=](T* x) TORQUED_INLINE_BODY { SolveLdlt(n, LD, x); },
      [=](int i, int j) TORQUED_INLINE_BODY { return lambda[i * m + j]; }, h,
      drift, wanted, null_space, work, tau);
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

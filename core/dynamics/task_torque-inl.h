#pragma once

#include "core/dynamics/ldlt-inl.h"
#include "core/dynamics/task_torque.h"

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

// Operational-space inertia and bias from a factorized mass matrix (Khatib
// 1987), for task Jacobians of full rank.
#pragma once

#include "core/dynamics/packed_ldlt-inl.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// What TaskInertia makes of a state with m ≤ 6 task rows.
template <class T>
struct TaskResult {
  T lambda[PackedSize(6)];  // W⁻¹, packed
  /// Of W: its diagonal and its pivots.
  T diagonal[6];
  T pivots[6];
};

/// Λ = W⁻¹ of W = J M⁻¹ Jᵀ. `rows` are the m rows of the task Jacobian, n
/// numbers each; LD and `reciprocal` are the factors of M. Leaves J L⁻ᵀ D⁻¹ in
/// Y, m n numbers. Sizes are int or Int<k>.
template <class Rows, class Size, class T>
TORQUED_INLINE void TaskInertia(Rows m, Size n, const T* const* rows,
                                const T* LD, const T* reciprocal, T* Y,
                                TaskResult<T>& result) {
  constexpr Int<0> kFirst;
  // Y = J L⁻ᵀ, W = Y D⁻¹ Yᵀ.
  For(kFirst, m, [&](auto i) TORQUED_INLINE_BODY {
    T* y_i = Y + i * n;
    For(kFirst, n, [&](auto k) TORQUED_INLINE_BODY { y_i[k] = rows[i][k]; });
    ForwardSubstitutePacked(n, LD, y_i);
  });
  T W[PackedSize(6)], inverse_pivots[6];
  For(kFirst, m, [&](auto i) TORQUED_INLINE_BODY {
    T* y_i = Y + i * n;
    // Rows above i are scaled by D⁻¹ already.
    T* W_i = W + PackedRow(i);
    For(kFirst, i, [&](auto j) TORQUED_INLINE_BODY {
      const T* y_j = Y + j * n;
      T sum(0);
      For(kFirst, n,
          [&](auto k) TORQUED_INLINE_BODY { sum = sum + y_i[k] * y_j[k]; });
      W_i[j] = sum;
    });
    T self(0);
    For(kFirst, n, [&](auto k) TORQUED_INLINE_BODY {
      const T scaled = y_i[k] * reciprocal[k];
      self = self + scaled * y_i[k];
      y_i[k] = scaled;
    });
    W_i[i] = self;
    result.diagonal[i] = self;
  });
  FactorPacked(m, W, inverse_pivots);

  For(kFirst, m, [&](auto i) TORQUED_INLINE_BODY {
    result.pivots[i] = W[PackedRow(i) + i];
  });
  InvertPacked(m, W, inverse_pivots, result.lambda);
}

/// W = J M⁻¹ Jᵀ, packed, from the Y that TaskInertia leaves.
template <class T>
void MobilityFromSolved(int m, int n, const T* LD, const T* Y, T* W) {
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j <= i; ++j) {
      T sum(0);
      for (int k = 0; k < n; ++k) {
        sum = sum + Y[i * n + k] * LD[PackedEntry(k, k)] * Y[j * n + k];
      }
      W[PackedRow(i) + j] = sum;
    }
  }
}

/// η = Λ (J M⁻¹ h − drift), with Y and Λ as TaskInertia leaves them. `y_h` is
/// scratch, n numbers.
template <class Rows, class Size, class T>
TORQUED_INLINE void TaskBias(Rows m, Size n, const T* LD, const T* Y,
                             const T* lambda, const T* h, const T* drift,
                             T* y_h, T* eta) {
  constexpr Int<0> kFirst;
  For(kFirst, n, [&](auto k) TORQUED_INLINE_BODY { y_h[k] = h[k]; });
  ForwardSubstitutePacked(n, LD, y_h);
  T r[6];
  For(kFirst, m, [&](auto i) TORQUED_INLINE_BODY {
    const T* y_i = Y + i * n;
    T sum = -drift[i];
    For(kFirst, n,
        [&](auto k) TORQUED_INLINE_BODY { sum = sum + y_i[k] * y_h[k]; });
    r[i] = sum;
  });
  For(kFirst, m, [&](auto i) TORQUED_INLINE_BODY {
    T sum(0);
    For(kFirst, i, [&](auto j) TORQUED_INLINE_BODY {
      sum = sum + lambda[PackedRow(i) + j] * r[j];
    });
    For(i, m, [&](auto j) TORQUED_INLINE_BODY {
      sum = sum + lambda[PackedRow(j) + i] * r[j];
    });
    eta[i] = sum;
  });
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

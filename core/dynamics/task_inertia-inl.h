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
  T eta[6];                 // Λ r
  /// Of W: its diagonal and its pivots.
  T diagonal[6];
  T pivots[6];
};

/// With W = J M⁻¹ Jᵀ and r = J M⁻¹ h − drift: Λ = W⁻¹ and η = Λ r. `rows` are
/// the m rows of the task Jacobian, n numbers each; LD and `reciprocal` are the
/// factors of M. Y is scratch, (m + 1) n numbers. Sizes are int or Int<k>.
template <class Rows, class Size, class T>
TORQUED_INLINE void TaskInertia(Rows m, Size n, const T* const* rows,
                                const T* LD, const T* reciprocal, const T* h,
                                const T* drift, T* Y, TaskResult<T>& result) {
  constexpr Int<0> kFirst;
  // One forward substitution: Y = L⁻¹ [Jᵀ | h], W = Y_Jᵀ D⁻¹ Y_J.
  T* y_h = Y + m * n;
  For(kFirst, n, [&](auto k) TORQUED_INLINE_BODY { y_h[k] = h[k]; });
  ForwardSubstitutePacked(n, LD, y_h);
  For(kFirst, m, [&](auto i) TORQUED_INLINE_BODY {
    T* y_i = Y + i * n;
    For(kFirst, n, [&](auto k) TORQUED_INLINE_BODY { y_i[k] = rows[i][k]; });
    ForwardSubstitutePacked(n, LD, y_i);
  });
  T W[PackedSize(6)], r[6], inverse_pivots[6];
  For(kFirst, m, [&](auto i) TORQUED_INLINE_BODY {
    T* y_i = Y + i * n;
    const auto dot = [&](const T* y, T sum) TORQUED_INLINE_BODY {
      For(kFirst, n,
          [&](auto k) TORQUED_INLINE_BODY { sum = sum + y_i[k] * y[k]; });
      return sum;
    };
    // Rows above i are scaled by D⁻¹ already.
    T* W_i = W + PackedRow(i);
    For(kFirst, i,
        [&](auto j) TORQUED_INLINE_BODY { W_i[j] = dot(Y + j * n, T(0)); });
    T self(0);
    For(kFirst, n, [&](auto k) TORQUED_INLINE_BODY {
      const T scaled = y_i[k] * reciprocal[k];
      self = self + scaled * y_i[k];
      y_i[k] = scaled;
    });
    W_i[i] = self;
    r[i] = dot(y_h, -drift[i]);
    result.diagonal[i] = self;
  });
  FactorPacked(m, W, inverse_pivots);

  For(kFirst, m, [&](auto i) TORQUED_INLINE_BODY {
    result.pivots[i] = W[PackedRow(i) + i];
  });
  InvertUnitLowerPacked(m, W);
  // Λ_ij = Σ_{k ≥ i} L⁻¹_ki L⁻¹_kj / D_k for i ≥ j; the diagonal of L⁻¹ is 1.
  T* lambda = result.lambda;
  For(kFirst, m, [&](auto i) TORQUED_INLINE_BODY {
    For(kFirst, Next(i), [&](auto j) TORQUED_INLINE_BODY {
      lambda[PackedRow(i) + j] = inverse_pivots[i];
    });
    For(kFirst, i, [&](auto j) TORQUED_INLINE_BODY {
      T& entry = lambda[PackedRow(i) + j];
      entry = entry * W[PackedRow(i) + j];
    });
  });
  For(kFirst, m, [&](auto k) TORQUED_INLINE_BODY {
    const T* row_k = W + PackedRow(k);
    For(kFirst, k, [&](auto i) TORQUED_INLINE_BODY {
      const T scaled = row_k[i] * inverse_pivots[k];
      For(kFirst, Next(i), [&](auto j) TORQUED_INLINE_BODY {
        T& entry = lambda[PackedRow(i) + j];
        entry = entry + scaled * row_k[j];
      });
    });
  });
  For(kFirst, m, [&](auto i) TORQUED_INLINE_BODY {
    T sum(0);
    For(kFirst, i, [&](auto j) TORQUED_INLINE_BODY {
      sum = sum + lambda[PackedRow(i) + j] * r[j];
    });
    For(i, m, [&](auto j) TORQUED_INLINE_BODY {
      sum = sum + lambda[PackedRow(j) + i] * r[j];
    });
    result.eta[i] = sum;
  });
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

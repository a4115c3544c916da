// Cheap certificates that a task Jacobian has full rank.
//
// Both bound the ratio σ_min² / σ_max² of the scaled Jacobian S J from below by
// the pivots of a factorization that is at hand. For a positive definite A
// (k x k) with pivots p_i, scaled to unit diagonal, the product of p_i / A_ii
// is the determinant and the other eigenvalues sum to k at most, so
//   λ_min ≥ Π (p_i / A_ii) ((k − 1) / k)^(k − 1).
#pragma once

#include "core/dynamics/packed_ldlt-inl.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// λ_min of A scaled to unit diagonal is at least this; 0 where the products
/// leave the range of numbers. Beside round-off it means something only where
/// it is well above that.
template <class T>
TORQUED_INLINE T UnitDiagonalBound(int k, const T* pivots, const T* diagonal) {
  T product = pivots[0], of_diagonal = diagonal[0];
  double mean = 1;
  for (int i = 1; i < k; ++i) {
    product = product * pivots[i];
    of_diagonal = of_diagonal * diagonal[i];
    mean *= double(k - 1) / double(k);
  }
  using Number = typename T::Number;
  const T least(sizeof(Number) == 8 ? Number(1e-290) : Number(1e-30));
  const T bound = product / of_diagonal * T(static_cast<Number>(mean));
  return Select(of_diagonal > least, bound, T(Number(0)));
}

/// From the mobility W = J M⁻¹ Jᵀ (m x m): x SJJᵀS x ≥ λ_min(M) x SWS x, and
/// σ_max² ≤ trace SJJᵀS. `rows` are the m rows of J, n numbers each; `scale[m]`
/// is the diagonal of S. NaN where W or M is. `trust` is the part of it that
/// comes from W's pivots: too small, and they are round-off.
template <class T, class N>
TORQUED_INLINE T MobilityRankBound(int m, int n, const T* const* rows,
                                   const N* scale, const T* W_diagonal,
                                   const T* W_pivots, const T* M_diagonal,
                                   const T* M_pivots, T& trust) {
  T least_M = M_diagonal[0];
  for (int i = 1; i < n; ++i) least_M = Min(least_M, M_diagonal[i]);
  T least_W = W_diagonal[0] * T(scale[0] * scale[0]);
  T trace(N(0));
  for (int i = 0; i < m; ++i) {
    const T square(scale[i] * scale[i]);
    least_W = Min(least_W, W_diagonal[i] * square);
    T norm(N(0));
    for (int k = 0; k < n; ++k) norm = norm + rows[i][k] * rows[i][k];
    trace = trace + norm * square;
  }
  trust = UnitDiagonalBound(m, W_pivots, W_diagonal);
  return least_M * UnitDiagonalBound(n, M_pivots, M_diagonal) * least_W *
         trust / trace;
}

/// From SJJᵀS itself: dearer and sharper. `trust` as above, from its pivots.
template <class T, class N>
TORQUED_INLINE T JacobianRankBound(int m, int n, const T* const* rows,
                                   const N* scale, T& trust) {
  T G[21], diagonal[6], pivots[6], reciprocal[6];
  T trace(N(0)), least(N(0));
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j <= i; ++j) {
      T sum(N(0));
      for (int k = 0; k < n; ++k) sum = sum + rows[i][k] * rows[j][k];
      G[PackedRow(i) + j] = sum * T(scale[i] * scale[j]);
    }
    diagonal[i] = G[PackedRow(i) + i];
    trace = trace + diagonal[i];
    least = i == 0 ? diagonal[0] : Min(least, diagonal[i]);
  }
  FactorPacked(m, G, reciprocal);
  for (int i = 0; i < m; ++i) pivots[i] = G[PackedRow(i) + i];
  trust = UnitDiagonalBound(m, pivots, diagonal);
  return least * trust / trace;
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

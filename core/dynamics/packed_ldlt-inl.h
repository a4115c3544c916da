// Symmetric matrices with the lower half packed by rows: entry (i, j), j ≤ i,
// stands at i (i + 1) / 2 + j. Factorized as L D Lᵀ, L unit lower triangular
// (Golub & Van Loan 2013, section 4.1).
//
// Sizes are int, or Int<k> for code that is unrolled.
#pragma once

#include "core/spatial/scalar.h"
#include "core/spatial/static_for.h"

namespace torqued {
inline namespace TORQUED_TARGET {

TORQUED_INLINE constexpr int PackedRow(int i) { return i * (i + 1) / 2; }
TORQUED_INLINE constexpr int PackedEntry(int i, int j) {
  return j <= i ? PackedRow(i) + j : PackedRow(j) + i;
}
TORQUED_INLINE constexpr int PackedSize(int n) { return n * (n + 1) / 2; }

/// In place: L strictly below the diagonal, D on it, and the reciprocals of D
/// in `reciprocal`. Does not test D.
template <class Size, class T>
TORQUED_INLINE void FactorPacked(Size n, T* M, T* reciprocal) {
  constexpr Int<0> kFirst;
  For(kFirst, n, [&](auto i) TORQUED_INLINE_BODY {
    T* row_i = M + PackedRow(i);
    // Row i holds c_ij = L_ij D_j until it is divided.
    For(kFirst, i, [&](auto j) TORQUED_INLINE_BODY {
      const T* row_j = M + PackedRow(j);
      T c = row_i[j];
      For(kFirst, j,
          [&](auto k) TORQUED_INLINE_BODY { c = c - row_i[k] * row_j[k]; });
      row_i[j] = c;
    });
    T d = row_i[i];
    For(kFirst, i, [&](auto k) TORQUED_INLINE_BODY {
      const T l = row_i[k] * reciprocal[k];
      d = d - l * row_i[k];
      row_i[k] = l;
    });
    row_i[i] = d;
    reciprocal[i] = T(1) / d;
  });
}

/// L ← L⁻¹, strictly below the diagonal, row by row; the diagonal is left.
template <class Size, class T>
TORQUED_INLINE void InvertUnitLowerPacked(Size n, T* L) {
  For(Int<0>{}, n, [&](auto i) TORQUED_INLINE_BODY {
    T* row_i = L + PackedRow(i);
    For(Int<0>{}, i, [&](auto j) TORQUED_INLINE_BODY {
      T sum = row_i[j];
      For(Next(j), i, [&](auto k) TORQUED_INLINE_BODY {
        sum = sum + row_i[k] * L[PackedRow(k) + j];
      });
      row_i[j] = -sum;
    });
  });
}

/// inverse ← (L D Lᵀ)⁻¹, packed; leaves L⁻¹ in the place of L.
template <class Size, class T>
TORQUED_INLINE void InvertPacked(Size n, T* L, const T* reciprocal,
                                 T* inverse) {
  constexpr Int<0> kFirst;
  InvertUnitLowerPacked(n, L);
  // Entry (i, j) is Σ_{k ≥ i} L⁻¹_ki L⁻¹_kj / D_k for i ≥ j; the diagonal of
  // L⁻¹ is 1.
  For(kFirst, n, [&](auto i) TORQUED_INLINE_BODY {
    For(kFirst, Next(i), [&](auto j) TORQUED_INLINE_BODY {
      inverse[PackedRow(i) + j] = reciprocal[i];
    });
    For(kFirst, i, [&](auto j) TORQUED_INLINE_BODY {
      T& entry = inverse[PackedRow(i) + j];
      entry = entry * L[PackedRow(i) + j];
    });
  });
  For(kFirst, n, [&](auto k) TORQUED_INLINE_BODY {
    const T* row_k = L + PackedRow(k);
    For(kFirst, k, [&](auto i) TORQUED_INLINE_BODY {
      const T scaled = row_k[i] * reciprocal[k];
      For(kFirst, Next(i), [&](auto j) TORQUED_INLINE_BODY {
        T& entry = inverse[PackedRow(i) + j];
        entry = entry + scaled * row_k[j];
      });
    });
  });
}

/// x ← L⁻¹ x.
template <class Size, class T>
TORQUED_INLINE void ForwardSubstitutePacked(Size n, const T* L, T* x) {
  For(Int<0>{}, n, [&](auto i) TORQUED_INLINE_BODY {
    const T* row_i = L + PackedRow(i);
    T sum = x[i];
    For(Int<0>{}, i,
        [&](auto k) TORQUED_INLINE_BODY { sum = sum - row_i[k] * x[k]; });
    x[i] = sum;
  });
}

/// x ← (L D Lᵀ)⁻¹ x.
template <class Size, class T>
TORQUED_INLINE void SolvePacked(Size n, const T* LD, const T* reciprocal,
                                T* x) {
  ForwardSubstitutePacked(n, LD, x);
  For(Int<0>{}, n,
      [&](auto i) TORQUED_INLINE_BODY { x[i] = x[i] * reciprocal[i]; });
  ForDown(Int<0>{}, n, [&](auto i) TORQUED_INLINE_BODY {
    const T* row_i = LD + PackedRow(i);
    For(Int<0>{}, i,
        [&](auto k) TORQUED_INLINE_BODY { x[k] = x[k] - row_i[k] * x[i]; });
  });
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

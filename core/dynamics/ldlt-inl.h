// Factorization M = L D Lᵀ of a symmetric positive definite matrix, L unit
// lower triangular, D diagonal (Golub & Van Loan 2013, section 4.1).
#pragma once

#include "core/spatial/scalar.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// In place, row-major n x n: reads the lower triangle; leaves L strictly below
/// the diagonal and D on it. Does not test D; a pivot that is not positive
/// means that M is not positive definite.
template <class T>
void FactorLdlt(int n, T* M) {
  for (int i = 0; i < n; ++i) {
    T* row_i = M + i * n;
    // Row i holds c_ij = L_ij D_j until its pivot is known.
    for (int j = 0; j < i; ++j) {
      const T* row_j = M + j * n;
      T c = row_i[j];
      for (int k = 0; k < j; ++k) c = c - row_i[k] * row_j[k];
      row_i[j] = c;
    }
    T d = row_i[i];
    for (int k = 0; k < i; ++k) {
      const T l = row_i[k] / M[k * n + k];
      d = d - l * row_i[k];
      row_i[k] = l;
    }
    row_i[i] = d;
  }
}

/// x ← L⁻¹ x.
template <class T>
void ForwardSubstitute(int n, const T* L, T* x) {
  for (int i = 0; i < n; ++i) {
    T s = x[i];
    for (int k = 0; k < i; ++k) s = s - L[i * n + k] * x[k];
    x[i] = s;
  }
}

/// x ← (L D Lᵀ)⁻¹ x.
template <class T>
void SolveLdlt(int n, const T* LD, T* x) {
  ForwardSubstitute(n, LD, x);
  for (int i = 0; i < n; ++i) x[i] = x[i] / LD[i * n + i];
  for (int i = n - 1; i >= 0; --i) {
    for (int k = i + 1; k < n; ++k) x[i] = x[i] - LD[k * n + i] * x[k];
  }
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

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
void FactorLdlt(int n, T* M);

/// x ← L⁻¹ x.
template <class T>
void ForwardSubstitute(int n, const T* L, T* x);

/// x ← (L D Lᵀ)⁻¹ x.
template <class T>
void SolveLdlt(int n, const T* LD, T* x);

}  // namespace TORQUED_TARGET
}  // namespace torqued

// The inverse of the mass matrix.
#pragma once

#include "core/spatial/scalar.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// inverse[n x n] = M⁻¹, row-major, exactly symmetric, from the factors LD of M
/// (see FactorLdlt). They may be the same memory. n³/2 multiply-adds. From
/// packed factors: InvertPacked.
template <class T>
void MassMatrixInverse(int n, const T* LD, T* inverse);

}  // namespace TORQUED_TARGET
}  // namespace torqued

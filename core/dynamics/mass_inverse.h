// The inverse of the mass matrix.
#pragma once

#include "core/model/tree.h"
#include "core/spatial/scalar.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// Memory of InvertMassMatrix, for n bodies.
template <class T>
struct MassInverseScratch {
  T* diagonal;       // n: of M⁻¹
  T* pivots;         // n: those of M = Lᵀ D L (Featherstone 2008, section 6.5)
  T* column;         // n
  int* subtree_end;  // n: what body i carries, and itself, are [i, end)
};

/// M[n x n] ← M⁻¹, whole, row-major and exactly symmetric, from the lower half
/// of M. Bodies come in depth-first order, as those of a Model do. Tests no
/// pivot.
template <class T>
void InvertMassMatrix(const Tree& tree, const MassInverseScratch<T>& own, T* M);

}  // namespace TORQUED_TARGET
}  // namespace torqued

// Mass matrices in quadruple precision, M = Σ J_iᵀ G_i J_i: another route than
// the algorithm texts take, with 18 more digits.
#pragma once

#include <vector>

#include "core/model/tree.h"

namespace torqued::testing_support {

#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 Quad;  // NOLINT(modernize-use-using)
#else
using Quad = long double;  // which has as many digits there
#endif

/// Symmetric n x n, row-major.
struct QuadMatrix {
  int n = 0;
  std::vector<Quad> entries;

  Quad& operator()(int i, int j) { return entries[i * n + j]; }
  Quad operator()(int i, int j) const { return entries[i * n + j]; }
};

Quad SquareRoot(Quad x);

/// Of the numbers of the tree as they stand.
QuadMatrix QuadMassMatrix(const Tree& tree, const double* q);

/// M⁻¹ and the pivots of M = Lᵀ D L from the last joint to the first, by
/// elimination. False where a pivot is not positive.
bool InvertQuad(const QuadMatrix& M, QuadMatrix* inverse,
                std::vector<Quad>* pivots);

}  // namespace torqued::testing_support

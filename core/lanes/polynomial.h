// Polynomials of packs.
#pragma once

#include "core/lanes/pack.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// Horner's rule on constants, those of the highest powers first.
template <class N, int kCount>
TORQUED_INLINE Pack<N> Polynomial(const N (&coefficients)[kCount],
                                  const Pack<N>& z) {
  Pack<N> sum(coefficients[0]);
  for (int k = 1; k < kCount; ++k) sum = sum * z + Pack<N>(coefficients[k]);
  return sum;
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

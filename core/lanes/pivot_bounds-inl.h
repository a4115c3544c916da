// What pivots of M tell of how far M is from singular. T stands for a state: a
// double, or a pack of lanes whose numbers are N.
//
// The pivots are held against bounds of their scales s (see
// core/dynamics/pivot_scale.h), of which `per_scale` are the reciprocals:
// H = S^-1/2 M S^-1/2.
#pragma once

#include "core/dynamics/scale_bound.h"
#include "core/lanes/trust.h"
#include "core/model/tree.h"
#include "core/spatial/scalar.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// Forward dynamics and M⁻¹ come by factorization of M up to so many degrees of
/// freedom, by articulated bodies beyond. The bound of the least eigenvalue is
/// too low to be of use where there are more.
inline constexpr int kMaxFactorizedDof = 12;

/// Of joint i's scale, where no prismatic joint is further than `farthest` from
/// its zero.
template <class N, class T>
TORQUED_INLINE T BoundOfScale(const ScaleBound& bound, const T& farthest) {
  const T root = T(N(bound.rest)) + T(N(bound.growth)) * farthest;
  return root * root + T(N(bound.fixed));
}

/// d / s; 0 where that is NaN or negative.
template <class N, class T>
TORQUED_INLINE T PivotShare(const T& pivot, const T& per_scale) {
  return Max(pivot * per_scale, T(N(0)));
}

/// The share in relation to what is weak; 1 where it is not.
template <class N, class T>
TORQUED_INLINE T WeakShare(const T& pivot, const T& per_scale) {
  return Min(T(N(1)),
             PivotShare<N>(pivot, per_scale) * T(N(1 / Trust<N>::kWeakPivot)));
}

/// A lower bound of λ_min(H) where M = L D Lᵀ is factorized from the root:
/// det H = Π d_i / s_i, and the other eigenvalues sum to trace H at most, so
/// λ_min(H) ≥ det H ((n − 1) / trace H)^(n − 1). `diagonal` is that of M.
template <class N, class T>
TORQUED_INLINE T LeastEigenvalueBound(int n, const T* diagonal, const T* pivots,
                                      const T* per_scale) {
  T trace(N(0));
  for (int i = 0; i < n; ++i) trace = trace + diagonal[i] * per_scale[i];
  const T factor = T(static_cast<N>(n - 1)) / trace;
  T bound(N(1));
  for (int i = 0; i < n; ++i) {
    bound = bound * PivotShare<N>(pivots[i], per_scale[i]);
    if (i > 0) bound = bound * factor;
  }
  return bound;
}

/// The least product of the weak shares along a path of joints, where the
/// pivots are those of articulated bodies, M = Lᵀ D L: what these lose
/// multiplies along a path, not from branch to branch. `products` has room for
/// n: those of the paths from the base to each joint.
template <class N, class T>
TORQUED_INLINE T LeastPathProduct(const Tree& tree, const T* pivots,
                                  const T* per_scale, T* products) {
  const T one(N(1));
  T least = one;
  for (int i = 0; i < tree.n; ++i) {
    const int parent = tree.bodies[i].parent;
    products[i] = (parent == kBase ? one : products[parent]) *
                  WeakShare<N>(pivots[i], per_scale[i]);
    least = Min(least, products[i]);
  }
  return least;
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

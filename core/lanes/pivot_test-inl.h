// Which states of a block have a mass matrix that is certainly regular.
#pragma once

#include "core/dynamics/scratch_layout-inl.h"
#include "core/lanes/block_job.h"
#include "core/lanes/pack.h"
#include "core/lanes/trust.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// Holds pivots of M against bounds of their scales s (see
/// core/dynamics/pivot_scale.h), H = S^-1/2 M S^-1/2. Certifies only states
/// that the rule of core/dynamics/pivot_rule.h calls regular, and leaves the
/// rest to that rule.
template <class N>
class PivotTest {
 public:
  using P = Pack<N>;

  /// Takes no memory unless it is needed.
  PivotTest(const BlockSetup& setup, bool needed, Carver& carver)
      : setup_(setup), n_(needed ? setup.tree.n : 0) {
    carver.Take(per_scale_, static_cast<unsigned long>(n_));
    carver.Take(products_, static_cast<unsigned long>(n_));
  }

  /// Before the first block.
  void Prepare() {
    for (int i = 0; i < n_; ++i) {
      const ScaleBound& bound = setup_.scale_bounds[i];
      if (bound.growth > 0) slides_ = true;
      const double scale = bound.rest * bound.rest + bound.fixed;
      const double per_scale = 1 / scale;
      // Beyond the range of N nothing is certified.
      const bool fits = per_scale < Trust<N>::kMostPerScale;
      per_scale_[i] = P(fits ? N(per_scale) : N(0));
    }
  }

  /// The positions of a block.
  TORQUED_INLINE void Load(const P* q) {
    if (slides_) [[unlikely]] {
      LoadSliding(q);
    }
  }

  /// The lanes in which M = L D Lᵀ, factorized from the root, is not certainly
  /// regular. det H = Π d_i / s_i, and the other eigenvalues sum to trace H at
  /// most, so λ_min(H) ≥ det H ((n − 1) / trace H)^(n − 1). Of many joints the
  /// product of all weak shares counts: the bound is too low there.
  TORQUED_INLINE unsigned Doubtful(const P* diagonal, const P* pivots) const {
    if (n_ > kMostBoundedDof) [[unlikely]] {
      return DoubtfulInAll(pivots);
    }
    P trace(N(0));
    for (int i = 0; i < n_; ++i) trace = trace + diagonal[i] * per_scale_[i];
    const P factor = P(static_cast<N>(n_ - 1)) / trace;
    P bound(N(1));
    for (int i = 0; i < n_; ++i) {
      bound = bound * Share(pivots, i);
      if (i > 0) bound = bound * factor;
    }
    return LaneBits(!(bound > P(Trust<N>::kEigenvalue)));
  }

  /// The same of articulated bodies, M = Lᵀ D L. What their pivots lose
  /// multiplies along the joints of a path, not from branch to branch: the
  /// product of the weak shares of each path counts.
  unsigned DoubtfulAlongPaths(const P* pivots) const {
    const P one(N(1));
    P least = one;
    for (int i = 0; i < n_; ++i) {
      const int parent = setup_.tree.bodies[i].parent;
      products_[i] =
          (parent == kBase ? one : products_[parent]) * WeakShare(pivots, i);
      least = Min(least, products_[i]);
    }
    return LaneBits(!(least > P(Trust<N>::kWeakProduct)));
  }

 private:
  static constexpr int kMostBoundedDof = 12;

  /// d_i / s_i; 0 where that is NaN or negative.
  TORQUED_INLINE P Share(const P* pivots, int i) const {
    return Max(pivots[i] * per_scale_[i], P(N(0)));
  }

  /// The share in relation to what is weak; 1 where it is not.
  TORQUED_INLINE P WeakShare(const P* pivots, int i) const {
    return Min(P(N(1)), Share(pivots, i) * P(N(1 / Trust<N>::kWeakPivot)));
  }

  __attribute__((noinline)) unsigned DoubtfulInAll(const P* pivots) const {
    P product(N(1));
    for (int i = 0; i < n_; ++i) product = product * WeakShare(pivots, i);
    return LaneBits(!(product > P(Trust<N>::kWeakProduct)));
  }

  __attribute__((noinline)) void LoadSliding(const P* q) {
    P farthest(N(0));
    for (int i = 0; i < n_; ++i) {
      if (setup_.tree.bodies[i].motion == JointMotion::kPrismatic) {
        farthest = Max(farthest, Abs(q[i]));
      }
    }
    for (int i = 0; i < n_; ++i) {
      const ScaleBound& bound = setup_.scale_bounds[i];
      if (!(bound.growth > 0)) continue;
      const P root = P(N(bound.rest)) + P(N(bound.growth)) * farthest;
      const P scale = root * root + P(N(bound.fixed));
      const P per_scale = P(N(1)) / scale;
      per_scale_[i] =
          Select(per_scale < P(N(Trust<N>::kMostPerScale)), per_scale, P(N(0)));
    }
  }

  const BlockSetup& setup_;
  const int n_;
  bool slides_ = false;
  P* per_scale_;  // 1 / s_i
  P* products_;   // from the base to each joint
};

}  // namespace TORQUED_TARGET
}  // namespace torqued

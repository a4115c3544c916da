// Which states of a block have a mass matrix that is certainly regular.
#pragma once

#include "core/dynamics/scratch_layout-inl.h"
#include "core/lanes/block_job.h"
#include "core/lanes/pack.h"
#include "core/lanes/pivot_bounds-inl.h"
#include "core/lanes/trust.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// Certifies only states that the rule of core/dynamics/pivot_rule.h calls
/// regular, and leaves the rest to that rule.
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
      const double per_scale = 1 / BoundOfScale<double>(bound, 0.0);
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
  /// regular. `diagonal` is that of M.
  TORQUED_INLINE unsigned Doubtful(const P* diagonal, const P* pivots) const {
    if (n_ > kMaxFactorizedDof) [[unlikely]] {
      return DoubtfulInAll(pivots);
    }
    const P bound = LeastEigenvalueBound<N>(n_, diagonal, pivots,
                                            static_cast<const P*>(per_scale_));
    return LaneBits(!(bound > P(Trust<N>::kEigenvalue)));
  }

  /// The same where M⁻¹ is at hand: λ_min(H) ≥ 1 / trace H⁻¹, and what has been
  /// inverted is off H by its round-off only, which is far below kEigenvalue.
  /// Pivots alone would not do: each makes the round-off in the next ones
  /// larger by what it is below 1, weak or not.
  unsigned DoubtfulByInverse(const P* diagonal, const P* pivots) const {
    P trace(N(0)), least = pivots[0];
    for (int i = 0; i < n_; ++i) {
      least = Min(least, pivots[i]);
      trace = trace + diagonal[i] / per_scale_[i];
    }
    const P most(N(1 / Trust<N>::kEigenvalue));
    return LaneBits(!((least > P(N(0))) & (trace < most)));
  }

  /// The same of articulated bodies, M = Lᵀ D L.
  unsigned DoubtfulAlongPaths(const P* pivots) const {
    const P least = LeastPathProduct<N>(
        setup_.tree, pivots, static_cast<const P*>(per_scale_), products_);
    return LaneBits(!(least > P(Trust<N>::kWeakProduct)));
  }

 private:
  /// Pivots from the root lose along no path in particular: the product of all
  /// weak shares counts.
  __attribute__((noinline)) unsigned DoubtfulInAll(const P* pivots) const {
    P product(N(1));
    for (int i = 0; i < n_; ++i) {
      product = product * WeakShare<N>(pivots[i], per_scale_[i]);
    }
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
      const P per_scale = P(N(1)) / BoundOfScale<N>(bound, farthest);
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

// Which states of a block have a mass matrix that is certainly regular.
#pragma once

#include "core/dynamics/scratch_layout-inl.h"
#include "core/lanes/block_job.h"
#include "core/lanes/pack.h"
#include "core/lanes/trust.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// Holds pivots of M, in either order, against bounds of their scales (see
/// core/dynamics/pivot_scale.h). Each pivot that is weak beside its scale may
/// take digits, and what several take multiplies: the product of their shares
/// is what counts. What is certified here is far from what the rule of
/// core/dynamics/pivot_rule.h calls lost; the rest is left to that.
template <class N>
class PivotTest {
 public:
  using P = Pack<N>;

  /// Takes no memory unless it is needed.
  PivotTest(const BlockSetup& setup, bool needed, Carver& carver)
      : setup_(setup), n_(needed ? setup.tree.n : 0) {
    carver.Take(per_scale_, static_cast<unsigned long>(n_));
  }

  /// Before the first block.
  void Prepare() {
    for (int i = 0; i < n_; ++i) {
      const ScaleBound& bound = setup_.scale_bounds[i];
      if (bound.growth > 0) slides_ = true;
      const double scale = bound.rest * bound.rest + bound.fixed;
      const double per_scale = 1 / (Trust<N>::kWeakPivot * scale);
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

  /// The lanes that are not certain.
  TORQUED_INLINE unsigned Doubtful(const P* pivots) const {
    const P zero(N(0)), one(N(1));
    P share = one;
    for (int i = 0; i < n_; ++i) {
      // Neither NaN nor what is negative counts as sound.
      share = share * Min(one, Max(pivots[i] * per_scale_[i], zero));
    }
    return LaneBits(!(share > P(Trust<N>::kPivots)));
  }

 private:
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
      const P per_scale = P(N(1)) / (P(N(Trust<N>::kWeakPivot)) * scale);
      per_scale_[i] =
          Select(per_scale < P(N(Trust<N>::kMostPerScale)), per_scale, P(N(0)));
    }
  }

  const BlockSetup& setup_;
  const int n_;
  bool slides_ = false;
  P* per_scale_;  // 1 / (kWeakPivot s_i)
};

}  // namespace TORQUED_TARGET
}  // namespace torqued

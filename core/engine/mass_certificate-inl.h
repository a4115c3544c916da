// Which states of a block have a mass matrix that is certainly regular.
#pragma once

#include "core/dynamics/scale_bound.h"
#include "core/dynamics/scratch_layout-inl.h"
#include "core/engine/block_job.h"
#include "core/engine/certificate_thresholds.h"
#include "core/math/pack.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// Certifies only states that the rule of core/dynamics/pivot_check.h calls
/// regular, and leaves the rest to that rule. Factors of M have a certificate
/// of their own, see MassFactors. Of articulated bodies only the pivots are at
/// hand: one is weak below a share of the scale of its joint. What weak pivots
/// lose multiplies along a path of joints, and not from branch to branch: a
/// state is certain if the product of min(1, share / kWeakPivot) along each
/// path is above kWeakProduct.
template <class N>
class MassCertificate {
 public:
  using P = Pack<N>;

  /// Takes no memory unless it is needed.
  MassCertificate(const BlockSetup& setup, bool needed, Arena& arena)
      : setup_(setup), n_(needed ? setup.tree.n : 0) {
    arena.Take(root_scales_, static_cast<unsigned long>(n_));
    arena.Take(per_weak_, static_cast<unsigned long>(n_));
    arena.Take(products_, static_cast<unsigned long>(n_));
  }

  /// Before the first block.
  void Prepare() {
    for (int i = 0; i < n_; ++i) {
      if (setup_.scale_bounds[i].growth > 0) slides_ = true;
      SetScale(i, P(N(0)));
    }
  }

  /// The positions of a block.
  TORQUED_INLINE void Load(const P* q) {
    if (slides_) [[unlikely]] {
      LoadSliding(q);
    }
  }

  /// √s by joint, for MassFactors::Factor.
  const P* root_scales() const { return root_scales_; }

  /// The lanes in which M is not certainly regular, from the pivots of
  /// articulated bodies.
  TORQUED_INLINE unsigned Uncertain(const P* pivots) const {
    const P one(N(1));
    P least = one;
    for (int i = 0; i < n_; ++i) {
      // 0 if NaN or negative
      const P share = Max(pivots[i] * per_weak_[i], P(N(0)));
      const int parent = setup_.tree.bodies[i].parent;
      products_[i] =
          (parent == kBase ? one : products_[parent]) * Min(one, share);
      least = Min(least, products_[i]);
    }
    return LaneBits(!(least > P(CertificateThresholds<N>::kWeakProduct)));
  }

 private:
  /// The bound of joint i's scale if no prismatic joint is further than
  /// `farthest` from its zero. Beyond the range of N nothing is certified.
  void SetScale(int i, const P& farthest) {
    const ScaleBound& bound = setup_.scale_bounds[i];
    const P root = P(N(bound.rest)) + P(N(bound.growth)) * farthest;
    const P per_scale = P(N(1)) / (root * root);
    const Mask<N> fits =
        per_scale < P(N(CertificateThresholds<N>::kMostPerScale));
    root_scales_[i] = Select(fits, root, P(N(__builtin_huge_val())));
    per_weak_[i] =
        Select(fits, per_scale * P(N(1 / CertificateThresholds<N>::kWeakPivot)),
               P(N(0)));
  }

  __attribute__((noinline)) void LoadSliding(const P* q) {
    P farthest(N(0));
    for (int i = 0; i < n_; ++i) {
      if (setup_.tree.bodies[i].motion == JointMotion::kPrismatic) {
        farthest = Max(farthest, Abs(q[i]));
      }
    }
    for (int i = 0; i < n_; ++i) {
      if (setup_.scale_bounds[i].growth > 0) SetScale(i, farthest);
    }
  }

  const BlockSetup& setup_;
  const int n_;
  bool slides_ = false;
  P* root_scales_;
  P* per_weak_;  // 1 / (kWeakPivot s_i)
  P* products_;  // from the base to each joint
};

}  // namespace TORQUED_TARGET
}  // namespace torqued

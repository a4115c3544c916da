// Whether a mass matrix is regular to working precision: the one rule for all
// that solves with M.
//
// With the scales s of core/dynamics/inertia_scale.h let H = S^-1/2 M S^-1/2.
// The sums that M is made of have round-off of a few ε √(s_i s_j) in every
// entry (Featherstone 2008, section 6.2: every term that is carried to a joint
// is bounded by its scale), so that M⁻¹ and what is solved with it have
// relative errors of about n ε ‖H⁻¹‖, whichever way it is factorized (Higham
// 2002, theorem 10.3 and section 10.1: symmetric positive definite factors do
// not grow).
//
// The pivots d_k of articulated bodies are those of M = Lᵀ D L from the leaves
// (Featherstone 2008, sections 6.5 and 7.3). Then
//   trace H⁻¹ = Σ_k σ_k / d_k,  σ_k = s_k + Σ_i s_i w_ik²,
// where w_ik is the rate of joint i behind joint k when joint k turns at unit
// rate, the joints before it are held, and those behind it are free. σ_k is
// what stands behind joint k as its pivot feels it. A pivot is lost where
//   not d_k > kLostPivot n ε σ_k.
// Above that ‖H⁻¹‖ < 1 / (kLostPivot ε), so that results have digits in
// proportion to the distance from the limit.
//
// An inward pass finds σ_k beside d_k: with E the quadratic form of a body's
// twist that gives Σ_i s_i w_i² of the joints behind it, w = U/d,
//   E ← (1 − A wᵀ)ᵀ E (1 − A wᵀ) + s w wᵀ.
#pragma once

#include <vector>

#include "core/dynamics/inertia_scale.h"
#include "core/math/inertia.h"
#include "core/tree/tree.h"

namespace torqued {

/// The constant of the rule. Pivots were off by at most 17 n ε trace H⁻¹ of
/// themselves, and M⁻¹ of itself, over 60 000 random robots with light, thin
/// and aligned links, against quadruple precision: a quarter of what is lost at
/// the limit.
inline constexpr double kLostPivot = 64;

/// kLostPivot n ε.
double PivotTolerance(int n);

struct PivotCheck {
  /// Where a pivot is lost: the joint behind it, or it itself, whose pivot is
  /// the smallest share of its scale. Else none.
  int joint = -1;
  double pivot = 0;  // of that joint
  /// trace H⁻¹ where none is lost; times n ε: the relative error to expect.
  double trace = 0;

  bool regular() const { return joint < 0; }
};

/// The rule's own memory.
struct PivotScratch {
  std::vector<Transform<double>> X;
  std::vector<ArticulatedInertia<double>> articulated, spread;  // Ĝ, E
  std::vector<double> scales, pivots, shares;
  std::vector<int> weakest;  // joint of the smallest share behind each

  /// Allocates only to grow.
  void Reserve(int bodies);
};

/// At n positions. Allocates nothing once `own` has grown.
PivotCheck CheckPivots(const Tree& tree, const InertiaScales& scales,
                       const double* q, PivotScratch& own);

/// The same for a tree alone; not thread-safe. The tree's bodies must outlive
/// it.
class PivotRule {
 public:
  explicit PivotRule(const Tree& tree) : tree_(tree), scales_(tree) {}

  PivotCheck At(const double* q) {
    return CheckPivots(tree_, scales_, q, own_);
  }

 private:
  Tree tree_;
  InertiaScales scales_;
  PivotScratch own_;
};

}  // namespace torqued

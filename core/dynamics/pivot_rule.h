// Whether a mass matrix is regular to working precision: the one rule for all
// that solves with M.
//
// With the scales s of core/dynamics/pivot_scale.h let H = S^-1/2 M S^-1/2. The
// sums that M is made of have round-off of a few ε √(s_i s_j) in every entry
// (Featherstone 2008, section 6.2: every term that is carried to a joint is
// bounded by its scale), so that M⁻¹ and what is solved with it have relative
// errors of about n ε ‖H⁻¹‖, whichever way it is factorized (Higham 2002,
// theorem 10.3 and section 10.1: symmetric positive definite factors do not
// grow).
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

#include "core/dynamics/pivot_scale.h"
#include "core/dynamics/scratch.h"
#include "core/dynamics/workspace.h"
#include "core/model/tree.h"

namespace torqued {

/// The constant of the rule. Pivots were off by at most 17 n ε trace H⁻¹ of
/// themselves, and M⁻¹ of itself, over 60 000 random robots with light, thin
/// and aligned links, against quadruple precision: a quarter of what is lost at
/// the limit.
inline constexpr double kLostPivot = 64;

/// kLostPivot n ε.
double LostPivotShare(int n);

struct PivotVerdict {
  int joint = -1;  // the first from the leaves whose pivot is lost, or none
  double pivot = 0;
  /// trace H⁻¹ where none is lost; times n ε: the relative error to expect.
  double trace = 0;

  bool regular() const { return joint < 0; }
};

/// The rule's own memory.
struct PivotScratch {
  std::vector<ArticulatedInertia<double>> spread;  // E
  std::vector<double> scales, work;

  /// Allocates only to grow.
  void Reserve(int bodies);
};

/// Needs X; uses Ga, U and d of `scratch`. Allocates nothing where `own` has
/// room.
PivotVerdict JudgePivots(const Tree& tree, const PivotScales& scales,
                         const double* q, Scratch<double>& scratch,
                         PivotScratch& own);

/// The same for a tree alone; not thread-safe. The tree's bodies must outlive
/// it.
class PivotRule {
 public:
  explicit PivotRule(const Tree& tree);

  /// Of n positions. Allocates nothing.
  PivotVerdict At(const double* q);

 private:
  Tree tree_;
  PivotScales scales_;
  Workspace workspace_;
  PivotScratch own_;
};

}  // namespace torqued

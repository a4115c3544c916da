#include "core/lanes/doubtful_in_single.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "core/dynamics/crba-inl.h"
#include "core/dynamics/kinematics-inl.h"
#include "core/dynamics/ldlt-inl.h"
#include "core/dynamics/pivot_rule.h"
#include "core/dynamics/workspace.h"
#include "core/lanes/pivot_bounds-inl.h"
#include "core/lanes/trust.h"

namespace torqued {
namespace {

constexpr auto kLeastEigenvalue =
    static_cast<double>(Trust<float>::kEigenvalue);
constexpr auto kLeastProduct = static_cast<double>(Trust<float>::kWeakProduct);

/// As PivotTest has them; 0 beyond the range of single precision.
std::vector<double> ReciprocalScales(const Tree& tree,
                                     const PivotScales& scales,
                                     std::span<const double> q) {
  double farthest = 0;
  for (int i = 0; i < tree.n; ++i) {
    if (tree.bodies[i].motion == JointMotion::kPrismatic) {
      farthest = std::max(farthest, std::abs(q[i]));
    }
  }
  std::vector<double> per_scale;
  per_scale.reserve(scales.bounds().size());
  for (const ScaleBound& bound : scales.bounds()) {
    const double reciprocal = 1 / BoundOfScale<double>(bound, farthest);
    const bool fits = reciprocal < Trust<float>::kMostPerScale;
    per_scale.push_back(fits ? reciprocal : 0);
  }
  return per_scale;
}

}  // namespace

bool DoubtfulInSingle(const Tree& tree, std::span<const double> q) {
  const auto n = static_cast<std::size_t>(tree.n);
  const PivotScales scales(tree);
  const std::vector<double> per_scale = ReciprocalScales(tree, scales, q);
  Workspace workspace(tree.n);
  Scratch<double>& scratch = workspace.scratch();
  ComputePlacements(tree, q.data(), scratch);
  if (tree.n > kMaxFactorizedDof) {
    PivotScratch own;
    const PivotVerdict verdict =
        JudgePivots(tree, scales, q.data(), scratch, own);
    if (!verdict.regular() || !(verdict.trace < 1 / kLeastEigenvalue)) {
      return true;
    }
    std::vector<double> products(n);
    const double least =
        LeastPathProduct<double>(tree, static_cast<const double*>(scratch.d),
                                 per_scale.data(), products.data());
    return !(least > kLeastProduct);
  }
  std::vector<double> M(n * n), diagonal(n), pivots(n);
  MassMatrix(tree, scratch, M.data());
  for (std::size_t i = 0; i < n; ++i) diagonal[i] = M[i * n + i];
  FactorLdlt(tree.n, M.data());
  for (std::size_t i = 0; i < n; ++i) pivots[i] = M[i * n + i];
  const double bound = LeastEigenvalueBound<double>(
      tree.n, static_cast<const double*>(diagonal.data()),
      static_cast<const double*>(pivots.data()), per_scale.data());
  return !(bound > kLeastEigenvalue);
}

}  // namespace torqued

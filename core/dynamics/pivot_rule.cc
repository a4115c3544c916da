#include "core/dynamics/pivot_rule.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "core/dynamics/joint-inl.h"
#include "core/dynamics/kinematics-inl.h"

namespace torqued {
namespace {

constexpr ArticulatedInertia<double> kNothing{};

}  // namespace

double LostPivotShare(int n) {
  return kLostPivot * n * std::numeric_limits<double>::epsilon();
}

void PivotScratch::Reserve(int bodies) {
  const auto n = static_cast<std::size_t>(bodies);
  if (spread.size() < n) spread.resize(n);
  if (scales.size() < n) scales.resize(n);
  if (work.size() < n) work.resize(n);
}

PivotVerdict JudgePivots(const Tree& tree, const PivotScales& scales,
                         const double* q, Scratch<double>& scratch,
                         PivotScratch& own) {
  own.Reserve(tree.n);
  scales.At(tree, q, own.scales.data(), own.work.data());
  const double share = LostPivotShare(tree.n);
  PivotVerdict verdict;
  for (int i = 0; i < tree.n; ++i) {
    scratch.Ga[i] =
        ArticulatedInertia<double>::From(BodyInertia<double>(tree.bodies[i]));
    own.spread[i] = kNothing;
  }
  for (int i = tree.n - 1; i >= 0; --i) {
    const TreeBody& body = tree.bodies[i];
    const Twist<double> A = JointTwist(body, 1.0);
    const Wrench<double> U = scratch.Ga[i] * A;
    const double d = JointProjection(body, U) + body.armature;
    const Wrench<double> e = own.spread[i] * A;
    const double sigma =
        own.scales[i] + std::max(JointProjection(body, e), 0.0);
    scratch.U[i] = U;
    scratch.d[i] = d;
    if (!(d > share * sigma)) {
      verdict.joint = i;
      verdict.pivot = d;
      return verdict;
    }
    verdict.trace += sigma / d;
    if (body.parent == kBase) continue;
    const double inverse = 1 / d;
    const ArticulatedInertia<double> Ga = Downdate(scratch.Ga[i], U, inverse);
    scratch.Ga[body.parent] += ToParent(scratch.X[i], Ga);
    // E − w eᵀ − e wᵀ + σ w wᵀ, as E − e eᵀ/σ + σ z zᵀ with z = w − e/σ.
    const double per_sigma = 1 / sigma;
    const Wrench<double> z = U * inverse - e * per_sigma;
    const ArticulatedInertia<double> E =
        Downdate(Downdate(own.spread[i], e, per_sigma), z, -sigma);
    own.spread[body.parent] += ToParent(scratch.X[i], E);
  }
  return verdict;
}

PivotRule::PivotRule(const Tree& tree)
    : tree_(tree), scales_(tree), workspace_(tree.n) {
  own_.Reserve(tree.n);
}

PivotVerdict PivotRule::At(const double* q) {
  ComputePlacements(tree_, q, workspace_.scratch());
  return JudgePivots(tree_, scales_, q, workspace_.scratch(), own_);
}

}  // namespace torqued

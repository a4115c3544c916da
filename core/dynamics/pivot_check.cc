#include "core/dynamics/pivot_check.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "core/tree/joint-inl.h"
#include "core/tree/kinematics-inl.h"

namespace torqued {
namespace {

constexpr ArticulatedInertia<double> kNothing{};

}  // namespace

double PivotTolerance(int n) {
  return kLostPivot * n * std::numeric_limits<double>::epsilon();
}

void PivotScratch::Reserve(int bodies) {
  const auto n = static_cast<std::size_t>(bodies);
  const auto grow = [n](auto& numbers) {
    if (numbers.size() < n) numbers.resize(n);
  };
  grow(X), grow(articulated), grow(spread);
  grow(scales), grow(pivots), grow(shares), grow(weakest);
}

PivotCheck CheckPivots(const Tree& tree, const InertiaScales& scales,
                       const double* q, PivotScratch& own) {
  own.Reserve(tree.n);
  ComputePlacements(tree, q, own.X.data());
  scales.At(tree, q, own.scales.data(), own.shares.data());
  const double lost = PivotTolerance(tree.n);
  PivotCheck verdict;
  for (int i = 0; i < tree.n; ++i) {
    own.articulated[i] =
        ArticulatedInertia<double>::From(BodyInertia<double>(tree.bodies[i]));
    own.spread[i] = kNothing;
    own.weakest[i] = -1;
  }
  // Of two joints, or the other if one is none; a NaN is the weakest.
  const auto weaker = [&own](int i, int k) {
    return k < 0 || !(own.shares[k] < own.shares[i]) ? i : k;
  };
  for (int i = tree.n - 1; i >= 0; --i) {
    const TreeBody& body = tree.bodies[i];
    const Twist<double> A = JointTwist(body, 1.0);
    const Wrench<double> U = own.articulated[i] * A;
    const double d = JointProjection(body, U) + body.armature;
    const Wrench<double> e = own.spread[i] * A;
    const double sigma =
        own.scales[i] + std::max(JointProjection(body, e), 0.0);
    own.pivots[i] = d;
    own.shares[i] = d / own.scales[i];
    const int weakest = weaker(i, own.weakest[i]);
    if (!(d > lost * sigma)) {
      verdict.joint = weakest;
      verdict.pivot = own.pivots[weakest];
      return verdict;
    }
    verdict.trace += sigma / d;
    if (body.parent == kBase) continue;
    own.weakest[body.parent] = weaker(weakest, own.weakest[body.parent]);
    const double inverse = 1 / d;
    const ArticulatedInertia<double> Ga =
        Downdate(own.articulated[i], U, inverse);
    own.articulated[body.parent] += ToParent(own.X[i], Ga);
    // E − w eᵀ − e wᵀ + σ w wᵀ, as E − e eᵀ/σ + σ z zᵀ with z = w − e/σ.
    const double per_sigma = 1 / sigma;
    const Wrench<double> z = U * inverse - e * per_sigma;
    const ArticulatedInertia<double> E =
        Downdate(Downdate(own.spread[i], e, per_sigma), z, -sigma);
    own.spread[body.parent] += ToParent(own.X[i], E);
  }
  return verdict;
}

}  // namespace torqued

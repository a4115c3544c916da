// Laws of the extrema of splines between samples.
#include "core/trajectory/spline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "tests/support/random_robot.h"

namespace torqued {
namespace {

using testing_support::Random;

std::vector<double> SignChangesOf(const std::vector<double>& coefficients) {
  std::array<double, 4> roots{};
  const std::size_t count = SignChanges(coefficients, roots);
  return {roots.begin(), roots.begin() + static_cast<std::ptrdiff_t>(count)};
}

/// Coefficients of scale (u - r0) (u - r1) ...
std::vector<double> Product(const std::vector<double>& roots, double scale) {
  std::vector<double> product = {scale};
  for (const double root : roots) {
    product.push_back(0);
    for (std::size_t k = product.size(); k-- > 0;) {
      product[k] = (k > 0 ? product[k - 1] : 0) - root * product[k];
    }
  }
  return product;
}

TEST(SignChangesOfPolynomial, AreTheRootsItWasMadeOf) {
  Random random(7);
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<double> roots(static_cast<std::size_t>(1 + trial % 4));
    for (double& root : roots) root = random.Uniform(-0.5, 1.5);
    std::sort(roots.begin(), roots.end());
    bool apart = true;
    for (std::size_t k = 1; k < roots.size(); ++k) {
      apart = apart && roots[k] - roots[k - 1] > 0.02;
    }
    if (!apart) continue;
    const auto found = SignChangesOf(Product(roots, random.Uniform(-3, 3)));
    std::vector<double> inside;
    for (const double root : roots) {
      if (root > 0 && root < 1) inside.push_back(root);
    }
    ASSERT_EQ(found.size(), inside.size()) << trial;
    for (std::size_t k = 0; k < found.size(); ++k) {
      EXPECT_NEAR(found[k], inside[k], 1e-10) << trial;
    }
  }
}

TEST(SignChangesOfPolynomial, TouchingIsNone) {
  EXPECT_TRUE(SignChangesOf({0.25, -1, 1}).empty());  // (u - 1/2)²
  EXPECT_TRUE(SignChangesOf({0, 0, 1}).empty());      // u²
  EXPECT_TRUE(SignChangesOf({0, 1}).empty());         // at the end
  EXPECT_TRUE(SignChangesOf({-1, 1}).empty());
  EXPECT_TRUE(SignChangesOf({0, 0, 0, 0, 0}).empty());
  // A triple root is one.
  EXPECT_EQ(SignChangesOf({-0.125, 0.75, -1.5, 1}).size(), 1u);
}

/// By sampling: what no extremum exceeds, and what some extremum or sample
/// reaches.
TEST(ExtremaBetween, AreThoseOfTheSampledPiece) {
  Random random(3);
  const double step = 0.7;
  for (const SplineMethod method :
       {SplineMethod::kCubic, SplineMethod::kQuintic}) {
    for (int trial = 0; trial < 300; ++trial) {
      const auto node = [&random] {
        return SplineNode{random.Uniform(-1, 1), random.Uniform(-5, 5),
                          random.Uniform(-40, 40)};
      };
      const SplineNode begin = node(), end = node();
      // The blends of Hermite.
      const auto at = [&](double t) {
        const double u = t / step, w = 1 - u;
        if (method == SplineMethod::kCubic) {
          return begin.q * w * w * (1 + 2 * u) + end.q * u * u * (1 + 2 * w) +
                 step * (begin.v * u * w * w - end.v * w * u * u);
        }
        const auto blend = [step](const SplineNode& of, double x, double sign) {
          const double y = 1 - x;
          return y * y * y *
                 (of.q * (1 + 3 * x + 6 * x * x) +
                  sign * step * of.v * x * (1 + 3 * x) +
                  step * step * of.a * x * x / 2);
        };
        return blend(begin, u, 1) + blend(end, w, -1);
      };
      double low = 1e9, high = -1e9, slow = 1e9, fast = -1e9;
      const int samples = 4000;
      for (int k = 0; k <= samples; ++k) {
        const double t = step * k / samples;
        low = std::min(low, at(t));
        high = std::max(high, at(t));
        const double h = 1e-4 * step;
        if (t < h || t > step - h) continue;
        const double v = (at(t + h) - at(t - h)) / (2 * h);
        slow = std::min(slow, v);
        fast = std::max(fast, v);
      }
      const ExtremaBetween found = FindExtremaBetween(method, step, begin, end);
      double lowest = std::min(begin.q, end.q),
             highest = std::max(begin.q, end.q);
      for (const SplineExtremum& turn : found.positions) {
        EXPECT_GT(turn.after, 0);
        EXPECT_LT(turn.after, step);
        EXPECT_NEAR(turn.value, at(turn.after), 1e-12);
        lowest = std::min(lowest, turn.value);
        highest = std::max(highest, turn.value);
      }
      EXPECT_NEAR(lowest, low, 1e-5);
      EXPECT_NEAR(highest, high, 1e-5);
      double slowest = std::min(begin.v, end.v),
             fastest = std::max(begin.v, end.v);
      for (const SplineExtremum& turn : found.velocities) {
        slowest = std::min(slowest, turn.value);
        fastest = std::max(fastest, turn.value);
      }
      EXPECT_NEAR(slowest, std::min({slow, begin.v, end.v}), 2e-3);
      EXPECT_NEAR(fastest, std::max({fast, begin.v, end.v}), 2e-3);
    }
  }
}

TEST(ExtremaBetween, AreExactForAParabola) {
  // q = 4 t (1 - t): 1 at 1/2, with a velocity that turns nowhere.
  const ExtremaBetween found =
      FindExtremaBetween(SplineMethod::kCubic, 1, {0, 4, -8}, {0, -4, -8});
  ASSERT_EQ(found.positions.end() - found.positions.begin(), 1);
  EXPECT_DOUBLE_EQ(found.positions.begin()->after, 0.5);
  EXPECT_DOUBLE_EQ(found.positions.begin()->value, 1);
  EXPECT_EQ(found.velocities.begin(), found.velocities.end());
}

TEST(ExtremaBetween, RoundingIsNoExtremum) {
  // At rest, with rates that are rounding.
  for (const SplineMethod method :
       {SplineMethod::kCubic, SplineMethod::kQuintic}) {
    const ExtremaBetween found = FindExtremaBetween(
        method, 0.01, {2.8973, 1e-13, 2e-11}, {2.8973, -1e-13, -2e-11});
    EXPECT_EQ(found.positions.begin(), found.positions.end());
    EXPECT_EQ(found.velocities.begin(), found.velocities.end());
  }
}

}  // namespace
}  // namespace torqued

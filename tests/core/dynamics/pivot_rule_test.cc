#include "core/dynamics/pivot_rule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "core/dynamics/crba-inl.h"
#include "core/dynamics/kinematics-inl.h"
#include "core/dynamics/ltdl-inl.h"
#include "tests/core/dynamics/quad_mass_matrix.h"
#include "tests/core/dynamics/thin_robots.h"
#include "tests/core/model/descriptions.h"

namespace torqued::testing_support {
namespace {

constexpr std::uint64_t kRobots = 6000;

/// What of all digits is lost, as the rule says; 1 at the limit.
double Loss(const Tree& tree, const PivotVerdict& verdict) {
  return verdict.regular() ? verdict.trace * LostPivotShare(tree.n) : 1;
}

/// trace H⁻¹ with the true M.
double TrueTrace(const Tree& tree, const double* q, const QuadMatrix& inverse) {
  const auto n = static_cast<std::size_t>(tree.n);
  std::vector<double> scales(n), work(n);
  PivotScales(tree).At(tree, q, scales.data(), work.data());
  double trace = 0;
  for (int i = 0; i < tree.n; ++i) {
    trace += scales[i] * static_cast<double>(inverse(i, i));
  }
  return trace;
}

/// ‖S (X − Y) S‖ / ‖S Y S‖ with S = diag √s.
double ScaledError(const std::vector<double>& X, const QuadMatrix& Y,
                   const std::vector<double>& s) {
  double error = 0, norm = 0;
  for (int i = 0; i < Y.n; ++i) {
    for (int j = 0; j < Y.n; ++j) {
      const double scale = std::sqrt(s[i] * s[j]);
      error = std::hypot(error,
                         scale * static_cast<double>(X[i * Y.n + j] - Y(i, j)));
      norm = std::hypot(norm, scale * static_cast<double>(Y(i, j)));
    }
  }
  return error / norm;
}

TEST(PivotRule, WhatIsRegularHasDigitsInProportionToItsDistanceFromTheLimit) {
  int regular = 0, near = 0, lost = 0;
  for (const bool move_frames : {false, true}) {
    for (std::uint64_t seed = 0; seed < kRobots; ++seed) {
      ThinRobotOptions options;
      options.move_frames = move_frames;
      const ThinRobot robot = MakeThinRobot(seed, options);
      if (robot.model == nullptr) continue;
      const Tree tree = robot.model->tree();
      const int n = tree.n;
      const double* const q = robot.q.data();
      PivotScratch own;
      const PivotVerdict verdict = JudgePivots(tree, PivotScales(tree), q, own);
      QuadMatrix inverse;
      std::vector<Quad> pivots;
      const bool positive =
          InvertQuad(QuadMassMatrix(tree, q), &inverse, &pivots);
      if (!verdict.regular()) {
        ++lost;
        // Nothing is called lost that has digits.
        if (positive) {
          EXPECT_GT(TrueTrace(tree, q, inverse) * LostPivotShare(n), 0.5)
              << "seed " << seed;
        }
        continue;
      }
      const double loss = Loss(tree, verdict);
      ++regular;
      if (loss > 1e-4) ++near;
      ASSERT_TRUE(positive) << "seed " << seed;
      for (int k = 0; k < n; ++k) {
        EXPECT_NEAR(own.pivots[k] / static_cast<double>(pivots[k]), 1, loss / 2)
            << "seed " << seed << ", joint " << k;
      }
      const auto size = static_cast<std::size_t>(n);
      std::vector<SpatialInertia<double>> composites(size);
      ComputeCompositeInertias(tree, own.X.data(), composites.data());
      std::vector<double> M(size * size), X(size * size);
      MassMatrix(tree, own.X.data(), composites.data(), M.data());
      std::vector<double> packed, reciprocal(size);
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= i; ++j) packed.push_back(M[i * n + j]);
      }
      const Chain<int> all{n};
      FactorLtdl(all, packed.data(), reciprocal.data());
      InvertLtdl(all, packed.data(), reciprocal.data(),
                 AllEntries<double>{X.data(), n});
      EXPECT_LT(ScaledError(X, inverse, own.scales), loss / 2)
          << "seed " << seed;
    }
  }
  EXPECT_GT(regular, 8000);
  EXPECT_GT(near, 300);
  EXPECT_GT(lost, 200);
}

/// The verdict on a thin robot; none where the robot is refused.
PivotVerdict Judge(std::uint64_t seed, const ThinRobotOptions& options,
                   double* loss) {
  const ThinRobot robot = MakeThinRobot(seed, options);
  *loss = -1;
  if (robot.model == nullptr) return {};
  PivotRule rule(robot.model->tree());
  const PivotVerdict verdict = rule.At(robot.q.data());
  *loss = Loss(robot.model->tree(), verdict);
  return verdict;
}

void ExpectSameClass(std::uint64_t seed, const ThinRobotOptions& options,
                     double band) {
  double loss = 0, other_loss = 0;
  const PivotVerdict verdict = Judge(seed, {}, &loss);
  const PivotVerdict other = Judge(seed, options, &other_loss);
  if (loss < 0 || other_loss < 0) return;
  if (verdict.joint == other.joint) return;
  // Only next to the limit.
  EXPECT_GT(std::min(loss, other_loss), band) << "seed " << seed;
}

TEST(PivotRule, TheClassDoesNotDependOnTheUnitsOfMassAndLength) {
  for (const double factor : {1e-12, 1e-6, 1e-3, 1e6}) {
    for (std::uint64_t seed = 0; seed < kRobots; seed += 4) {
      ExpectSameClass(seed, {.mass = factor}, 0.2);
      ExpectSameClass(seed, {.length = factor}, 0.2);
    }
  }
}

TEST(PivotRule, TheClassDoesNotDependOnWhereFramesStandOnTheirAxes) {
  // Frames that stand a hundred lengths of a link away cost four digits.
  for (std::uint64_t seed = 0; seed < kRobots; ++seed) {
    ExpectSameClass(seed, {.move_frames = true}, 1e-4);
  }
}

TEST(PivotRule, NamesTheJointThatMovesNothingButWhatIsBehindIt) {
  // Joints 1 and 2 turn about one axis and link 1 has no mass.
  const LoadResult coaxial = Build(
      {MasslessLink("base"), MasslessLink("a"), Link("b", 1, {0.1, 0, 0})},
      {JointOf("first", JointKind::kContinuous, "base", "a"),
       JointOf("second", JointKind::kContinuous, "a", "b", {0, 0, 0.3})});
  ASSERT_NE(coaxial.model, nullptr) << Messages(coaxial.report);
  PivotRule rule(coaxial.model->tree());
  for (const double q1 : {0.0, 0.4, 2.0}) {
    const double q[2] = {0.7, q1};
    const PivotVerdict verdict = rule.At(q);
    EXPECT_EQ(verdict.joint, 0);
    EXPECT_LT(std::abs(verdict.pivot), 1e-14);
  }
}

TEST(PivotRule, NamesTheJointWhosePivotIsTheSmallestShareOfItsScale) {
  // Roll and yaw turn about nearly one axis with nothing between them. That is
  // not yet lost, but what pitch has left of its inertia is.
  constexpr double kLean = 1.2e-6;
  const LoadResult neck = Build(
      {MasslessLink("base"), MasslessLink("tilted"), MasslessLink("rolled"),
       Link("head", 1, {0.03, 0.02, 0.05}, {1e-6, 1e-6, 1e-6})},
      {JointOf("pitch", JointKind::kContinuous, "base", "tilted", {},
               {0, 1, 0}),
       JointOf("roll", JointKind::kContinuous, "tilted", "rolled", {0.01, 0, 0},
               {kLean, 0, 1}),
       JointOf("yaw", JointKind::kContinuous, "rolled", "head")});
  ASSERT_NE(neck.model, nullptr) << Messages(neck.report);
  const double q[3] = {};
  PivotScratch own;
  const Tree tree = neck.model->tree();
  const PivotVerdict verdict = JudgePivots(tree, PivotScales(tree), q, own);
  EXPECT_EQ(verdict.joint, 1);
  EXPECT_EQ(verdict.pivot, own.pivots[1]);
  EXPECT_GT(own.shares[1], LostPivotShare(3));
  EXPECT_GT(own.shares[0], 100 * own.shares[1]);
}

TEST(PivotRule, AMassThatIsCarriedOutAndBackLeavesRoundOff) {
  // The second link brings a heavy point back onto the first axis; what is
  // left about it is 1e-17 of what was carried.
  const auto folded = [](double inertia) {
    const LoadResult loaded = Build(
        {MasslessLink("base"), MasslessLink("boom"),
         Link("tip", 1, {1, 0, 0}, {inertia, inertia, inertia})},
        {JointOf("shoulder", JointKind::kContinuous, "base", "boom"),
         JointOf("elbow", JointKind::kContinuous, "boom", "tip", {1, 0, 0})});
    PivotRule rule(loaded.model->tree());
    const double q[2] = {0.3, 3.141592653589793};
    return rule.At(q).joint;
  };
  EXPECT_EQ(folded(1e-17), 0);
  EXPECT_EQ(folded(1e-15), 0);
  EXPECT_EQ(folded(1e-11), -1);
}

TEST(PivotRule, ALargeRotorMakesAnyJointRegular) {
  JointDescription joint =
      JointOf("roll", JointKind::kContinuous, "base", "rod", {}, {1, 0, 0});
  joint.armature = 1e-3;
  const LoadResult loaded =
      Build({MasslessLink("base"), Link("rod", 1, {0.5, 0, 0}, {0, 0.1, 0.1})},
            {joint});
  ASSERT_NE(loaded.model, nullptr) << Messages(loaded.report);
  PivotRule rule(loaded.model->tree());
  const double q[1] = {0.3};
  EXPECT_TRUE(rule.At(q).regular());
}

}  // namespace
}  // namespace torqued::testing_support

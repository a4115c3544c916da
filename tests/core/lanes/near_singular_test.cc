// States in which the mass matrix is singular, or nearly so, against quadruple
// precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "core/batch/row_issue.h"
#include "core/dynamics/pivot_rule.h"
#include "tests/core/dynamics/quad_mass_matrix.h"
#include "tests/core/dynamics/thin_robots.h"
#include "tests/core/lanes/batch_case.h"
#include "tests/core/lanes/reference.h"
#include "tests/core/model/descriptions.h"

namespace torqued::testing_support {
namespace {

constexpr std::uint64_t kRobots = 1500;

/// A robot in one state, at rest and without gravity, so that a = M⁻¹ tau.
struct Near {
  BatchCase batch;
  PivotVerdict verdict;
  std::vector<double> scales;

  int n() const { return batch.model->nv(); }
  double loss() const { return verdict.trace * LostPivotShare(n()); }
};

/// False where the robot is refused.
bool MakeNear(std::uint64_t seed, Near* near) {
  const ThinRobot robot = MakeThinRobot(seed, {.most_joints = 16});
  if (robot.model == nullptr) return false;
  near->batch = MakeCase(robot.model, 1, seed);
  BatchCase& batch = near->batch;
  batch.q = robot.q;
  batch.wrench.clear();
  std::fill(batch.v.begin(), batch.v.end(), 0);
  batch.options.terms.gravity = {0, 0, 0};
  batch.options.quantities = {Quantity::kForwardDynamics,
                              Quantity::kMassMatrixInverse,
                              Quantity::kForwardDynamicsDerivatives};
  const Tree tree = robot.model->tree();
  near->verdict = PivotRule(tree).At(robot.q.data());
  near->scales.resize(robot.q.size());
  std::vector<double> work(robot.q.size());
  PivotScales(tree).At(tree, robot.q.data(), near->scales.data(), work.data());
  // Of the size that each joint can take.
  for (std::size_t i = 0; i < robot.q.size(); ++i) {
    batch.tau[i] *= std::sqrt(near->scales[i]);
  }
  return true;
}

std::vector<BatchResult> EvaluateEverywhere(const BatchCase& batch,
                                            std::vector<std::string>* where) {
  std::vector<BatchResult> results;
  for (const LaneKernels* kernels : Targets()) {
    results.push_back(Evaluate(batch, *kernels));
    where->push_back(kernels->target);
  }
  results.push_back(Reference(batch));
  where->push_back("none");
  return results;
}

TEST(NearSingular, TheRuleDecidesForAllTargetsTextsAndPrecisions) {
  int lost = 0;
  for (std::uint64_t seed = 0; seed < kRobots; ++seed) {
    Near near;
    if (!MakeNear(seed, &near)) continue;
    if (!near.verdict.regular()) ++lost;
    for (const Precision precision : {Precision::kDouble, Precision::kSingle}) {
      near.batch.options.precision = precision;
      std::vector<std::string> where;
      const auto results = EvaluateEverywhere(near.batch, &where);
      for (std::size_t k = 0; k < results.size(); ++k) {
        const std::string name = "seed " + std::to_string(seed) + " on " +
                                 where[k] + ", precision " +
                                 std::to_string(static_cast<int>(precision));
        if (near.verdict.regular()) {
          EXPECT_TRUE(results[k].issues.empty()) << name;
          continue;
        }
        ASSERT_EQ(results[k].issues.size(), 1u) << name;
        EXPECT_EQ(results[k].issues[0].code, RowCode::kSingularMassMatrix)
            << name;
        EXPECT_EQ(results[k].issues[0].column, near.verdict.joint) << name;
        for (const auto& [output, table] : results[k].tables) {
          for (const double x : table) EXPECT_TRUE(std::isnan(x)) << name;
        }
      }
    }
  }
  EXPECT_GT(lost, 20);
}

TEST(NearSingular, ResultsHaveDigitsInProportionToTheDistanceFromTheLimit) {
  for (std::uint64_t seed = 0; seed < kRobots; ++seed) {
    Near near;
    if (!MakeNear(seed, &near) || !near.verdict.regular()) continue;
    const int n = near.n();
    const Tree tree = near.batch.model->tree();
    QuadMatrix inverse;
    std::vector<Quad> pivots;
    ASSERT_TRUE(InvertQuad(QuadMassMatrix(tree, near.batch.q.data()), &inverse,
                           &pivots));
    std::vector<std::string> where;
    const auto results = EvaluateEverywhere(near.batch, &where);
    for (std::size_t k = 0; k < results.size(); ++k) {
      double error = 0, norm = 0, error_a = 0, tau = 0;
      for (int i = 0; i < n; ++i) {
        Quad a = 0;
        for (int j = 0; j < n; ++j) {
          a += inverse(i, j) * near.batch.tau[j];
          const double scale = std::sqrt(near.scales[i] * near.scales[j]);
          for (const Output output :
               {Output::kMassMatrixInverse, Output::kAccelerationByTau}) {
            const double x = RowOf(results[k], output, 0, n)(i, j);
            error = std::hypot(error,
                               scale * static_cast<double>(x - inverse(i, j)));
          }
          norm = std::hypot(norm, scale * static_cast<double>(inverse(i, j)));
        }
        const double x = RowOf(results[k], Output::kAcceleration, 0, 1)(0, i);
        error_a = std::hypot(
            error_a, std::sqrt(near.scales[i]) * static_cast<double>(x - a));
        tau = std::hypot(tau, near.batch.tau[i] / std::sqrt(near.scales[i]));
      }
      const std::string name = "seed " + std::to_string(seed) + " on " +
                               where[k] + " with " + std::to_string(n);
      EXPECT_LT(error, near.loss() * norm) << name;
      EXPECT_LT(error_a, near.loss() * norm * tau) << name;
    }
  }
}

/// Joints on nearly the same axis, two by two, with one body at the end: each
/// pivot is small beside the one before it, none is tiny, and what they lose
/// multiplies. So many ordinary links carry it.
LoadResult LeaningChain(double lean, std::size_t joints, bool reversed,
                        int carriers) {
  const double s = lean;
  std::vector<JointDescription> chain = {
      JointOf("", JointKind::kContinuous, "", "", {}, {0, 0, 1}),
      JointOf("", JointKind::kContinuous, "", "", {}, {s, 0, 1}),
      JointOf("", JointKind::kContinuous, "", "", {}, {1, s, 0}),
      JointOf("", JointKind::kContinuous, "", "", {0, 0, -s}, {0, 1, 0}),
      JointOf("", JointKind::kPrismatic, "", "", {0, 0, s}, {1, s, 0})};
  chain.resize(joints);
  if (reversed) {
    std::reverse(chain.begin(), chain.end());
    for (JointDescription& joint : chain) joint.origin.p = {};
  }
  std::vector<LinkDescription> links = {MasslessLink("base")};
  std::vector<JointDescription> all;
  const auto add = [&](JointDescription joint, LinkDescription link) {
    link.name = "l" + std::to_string(all.size());
    joint.name = "j" + std::to_string(all.size());
    joint.parent = links.back().name;
    joint.child = link.name;
    all.push_back(joint);
    links.push_back(link);
  };
  for (int k = 0; k < carriers; ++k) {
    const std::array<double, 3> axis = {
        k % 3 == 0 ? 1.0 : 0.0, k % 3 == 1 ? 1.0 : 0.0, k % 3 == 2 ? 1.0 : 0.0};
    add(JointOf("", JointKind::kContinuous, "", "", {0.3, 0.1, 0.2}, axis),
        Link("", 5, {0.1, 0.1, 0.1}));
  }
  for (std::size_t k = 0; k < joints; ++k) {
    add(chain[k], k + 1 < joints ? MasslessLink("") : Link("", 1));
  }
  return Build(links, all);
}

/// The rule decides about the chain, and where it is regular single precision
/// is near double.
void ExpectTheRulesAnswer(const LoadResult& loaded, Quantity quantity,
                          const std::string& name, int* lost, int* regular) {
  BatchCase batch = MakeCase(loaded.model, 1, 1);
  batch.wrench.clear();
  std::fill(batch.q.begin(), batch.q.end(), 0);
  std::fill(batch.v.begin(), batch.v.end(), 0);
  batch.options.terms.gravity = {0, 0, 0};
  batch.options.quantities = {quantity};
  const PivotVerdict verdict =
      PivotRule(loaded.model->tree()).At(batch.q.data());
  ++*(verdict.regular() ? regular : lost);
  std::vector<std::string> where;
  const auto exact = EvaluateEverywhere(batch, &where);
  batch.options.precision = Precision::kSingle;
  const auto single = EvaluateEverywhere(batch, &where);
  const int n = loaded.model->nv();
  const auto numbers = [quantity, n](const BatchResult& result) {
    return quantity == Quantity::kForwardDynamics
               ? RowOf(result, Output::kAcceleration, 0, 1)
               : RowOf(result, Output::kMassMatrixInverse, 0, n);
  };
  for (std::size_t k = 0; k < exact.size(); ++k) {
    EXPECT_EQ(exact[k].issues.empty(), verdict.regular())
        << name << " on " << where[k];
    EXPECT_EQ(single[k].issues.empty(), verdict.regular())
        << name << " on " << where[k];
    if (!verdict.regular()) continue;
    const auto a = numbers(exact[k]), b = numbers(single[k]);
    EXPECT_LT((a - b).norm(), 0.02 * a.norm()) << name << where[k];
  }
}

TEST(NearSingular, WhatSmallPivotsLoseMultiplies) {
  // With few joints the lanes bound an eigenvalue, with many they multiply.
  for (const int carriers : {0, 10}) {
    for (const Quantity quantity :
         {Quantity::kForwardDynamics, Quantity::kMassMatrixInverse}) {
      int lost = 0, regular = 0;
      for (const bool reversed : {false, true}) {
        for (const std::size_t joints : {3, 4, 5}) {
          for (double lean = 0.5; lean > 1e-4; lean *= 0.7) {
            const LoadResult loaded =
                LeaningChain(lean, joints, reversed, carriers);
            ASSERT_NE(loaded.model, nullptr) << Messages(loaded.report);
            ExpectTheRulesAnswer(loaded, quantity,
                                 std::to_string(joints) + " joints, lean " +
                                     std::to_string(lean) +
                                     (reversed ? ", reversed" : "") + ", " +
                                     std::to_string(carriers) + " carriers",
                                 &lost, &regular);
          }
        }
      }
      EXPECT_GT(lost, 10);
      EXPECT_GT(regular, 30);
    }
  }
}

/// Four axes through one point, which lean by little, and ten joints behind
/// them with links that become lighter and lighter: the first pivot is nothing
/// but what the next ones, none of them tiny, make of the round-off.
LoadResult LeaningAxesUnderManyJoints(double lean, bool reversed) {
  std::vector<JointDescription> chain = {
      JointOf("", JointKind::kContinuous, "", "", {}, {0, 1, 0}),
      JointOf("", JointKind::kContinuous, "", "", {}, {1, lean, 0}),
      JointOf("", JointKind::kContinuous, "", "", {}, {lean, 0, 1}),
      JointOf("", JointKind::kContinuous, "", "", {}, {0, 0, 1})};
  if (reversed) std::reverse(chain.begin(), chain.end());
  for (int k = 0; k < 10; ++k) {
    chain.push_back(
        JointOf("", JointKind::kContinuous, "", "", {0.1, 0, 0},
                {0, k % 2 == 0 ? 1.0 : 0.0, k % 2 == 0 ? 0.0 : 1.0}));
  }
  std::vector<LinkDescription> links = {MasslessLink("base")};
  for (std::size_t k = 0; k < chain.size(); ++k) {
    const std::string name = "l" + std::to_string(k);
    chain[k].name = "j" + std::to_string(k);
    chain[k].parent = links.back().name;
    chain[k].child = name;
    const double m = std::pow(0.1, k);
    links.push_back(
        k < 3 ? MasslessLink(name)
              : Link(name, m, {0.05, 0.03, 0.08}, {m / 10, m / 10, m / 10}));
  }
  return Build(links, chain);
}

TEST(NearSingular, NoLostStateOfManyJointsPasses) {
  for (int trial = 0; trial < 370; ++trial) {
    const double lean = 0.01 * std::pow(1.02, trial / 2);
    const LoadResult loaded = LeaningAxesUnderManyJoints(lean, trial % 2 != 0);
    ASSERT_NE(loaded.model, nullptr) << Messages(loaded.report);
    BatchCase batch = MakeCase(loaded.model, 1, 1);
    batch.wrench.clear();
    std::fill(batch.q.begin(), batch.q.end(), 0);
    std::fill(batch.v.begin(), batch.v.end(), 0);
    ASSERT_FALSE(PivotRule(loaded.model->tree()).At(batch.q.data()).regular());
    for (const Quantity quantity :
         {Quantity::kForwardDynamics, Quantity::kMassMatrixInverse,
          Quantity::kForwardDynamicsDerivatives, Quantity::kOperationalSpace}) {
      batch.options.quantities = {quantity};
      for (const Precision precision :
           {Precision::kDouble, Precision::kSingle}) {
        batch.options.precision = precision;
        std::vector<std::string> where;
        const auto results = EvaluateEverywhere(batch, &where);
        for (std::size_t k = 0; k < results.size(); ++k) {
          EXPECT_EQ(results[k].issues.size(), 1u)
              << "lean " << lean << (trial % 2 != 0 ? ", reversed" : "")
              << " on " << where[k] << ", precision "
              << static_cast<int>(precision) << ", quantity "
              << static_cast<int>(quantity);
        }
      }
    }
  }
}

TEST(NearSingular, ARollJointUnderHeavyLinksIsNotDividedByRoundOff) {
  // The last joint turns a heavy rod about its own axis; turned frames on the
  // way leave round-off of the other moments in that about the axis.
  const LoadResult loaded = Build(
      {MasslessLink("base"), Link("upper", 3, {0, 0, 0.2}, {0.1, 0.1, 0.01}),
       Link("roll", 1e-9, {0, 0, 0}, {1e-19, 1e-19, 1e-19}),
       Link("bend", 1e-9, {0, 0, 0}, {1e-19, 1e-19, 1e-19}),
       Link("rod", 40, {0, 0.5, 0.8660254037844386}, {10, 10, 10})},
      {JointOf("lift", JointKind::kContinuous, "base", "upper", {}, {0, 1, 0}),
       JointOf("roll", JointKind::kContinuous, "upper", "roll", {0, 0, 0.4}),
       JointOf("bend", JointKind::kContinuous, "roll", "bend", {}, {1, 0, 0}),
       JointOf("tool", JointKind::kContinuous, "bend", "rod", {}, {0, 0, 1})});
  ASSERT_NE(loaded.model, nullptr) << Messages(loaded.report);
  BatchCase batch = MakeCase(loaded.model, 1, 1);
  batch.wrench.clear();
  batch.options.quantities = {Quantity::kForwardDynamics,
                              Quantity::kMassMatrixInverse};
  // Roll and tool turn about one axis when bend is zero.
  batch.q = {0.3, 0.7, 0, 0.4};
  std::vector<std::string> where;
  for (const BatchResult& result : EvaluateEverywhere(batch, &where)) {
    ASSERT_EQ(result.issues.size(), 1u);
    EXPECT_EQ(result.issues[0].code, RowCode::kSingularMassMatrix);
    EXPECT_EQ(result.issues[0].column, 1);
  }
}

}  // namespace
}  // namespace torqued::testing_support

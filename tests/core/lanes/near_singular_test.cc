// States in which the mass matrix is singular, or nearly so, against long
// double.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "core/dynamics/pivot_rule.h"
#include "core/engine/row_issue.h"
#include "tests/core/dynamics/thin_robots.h"
#include "tests/core/lanes/batch_case.h"

namespace torqued::testing_support {
namespace {

constexpr std::uint64_t kRobots = 1500;

/// A robot in one state, at rest and without gravity, so that a = M⁻¹ tau.
BatchCase AtRest(const std::shared_ptr<const Model>& model, std::uint64_t seed,
                 std::vector<double> q) {
  BatchCase batch = MakeCase(model, 1, seed);
  batch.q = std::move(q);
  batch.wrench.clear();
  std::fill(batch.v.begin(), batch.v.end(), 0);
  batch.options.terms.gravity = {0, 0, 0};
  return batch;
}

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
  near->batch = AtRest(robot.model, seed, robot.q);
  BatchCase& batch = near->batch;
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

/// By all targets and the reference, with their names.
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

/// Calls f(result, where) with the results of all targets in both precisions,
/// and of the reference.
template <class Function>
void ForResults(const BatchCase& batch, const Function& f) {
  for (const Route& route : Routes()) f(Evaluate(batch, route), route.name);
  f(Reference(batch), "reference");
}

TEST(NearSingular, TheRuleDecidesForAllTargetsTextsAndPrecisions) {
  int lost = 0;
  for (std::uint64_t seed = 0; seed < kRobots; ++seed) {
    Near near;
    if (!MakeNear(seed, &near)) continue;
    if (!near.verdict.regular()) ++lost;
    ForResults(near.batch,
               [&](const BatchResult& result, const std::string& where) {
                 SCOPED_TRACE("seed " + std::to_string(seed) + " on " + where);
                 if (near.verdict.regular()) {
                   EXPECT_TRUE(result.issues.empty());
                   return;
                 }
                 ASSERT_EQ(result.issues.size(), 1u);
                 EXPECT_EQ(result.issues[0].code, RowCode::kSingularMassMatrix);
                 EXPECT_EQ(result.issues[0].column, near.verdict.joint);
                 for (const auto& [output, table] : result.tables) {
                   for (const double x : table) EXPECT_TRUE(std::isnan(x));
                 }
               });
  }
  EXPECT_GT(lost, 20);
}

TEST(NearSingular, ResultsHaveDigitsInProportionToTheDistanceFromTheLimit) {
  for (std::uint64_t seed = 0; seed < kRobots; ++seed) {
    Near near;
    if (!MakeNear(seed, &near) || !near.verdict.regular()) continue;
    const int n = near.n();
    const Tree tree = near.batch.model->tree();
    const auto [positive, inverse, pivots] =
        InvertMassMatrix(tree, near.batch.q);
    ASSERT_TRUE(positive);
    std::vector<std::string> where;
    const auto results = EvaluateEverywhere(near.batch, &where);
    for (std::size_t k = 0; k < results.size(); ++k) {
      double error = 0, norm = 0, error_a = 0, tau = 0;
      for (int i = 0; i < n; ++i) {
        Wide a = 0;
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
std::shared_ptr<const Model> LeaningChain(double lean, std::size_t joints,
                                          bool reversed, int carriers) {
  const double s = lean;
  std::vector<JointDescription> chain = {
      Turning({0, 0, 1}), Turning({s, 0, 1}), Turning({1, s, 0}),
      Turning({0, 1, 0}, {0, 0, -s}), Turning({1, s, 0}, {0, 0, s})};
  chain[4].type = JointKind::kPrismatic;
  chain.resize(joints);
  if (reversed) {
    std::reverse(chain.begin(), chain.end());
    for (JointDescription& joint : chain) joint.origin.p = {};
  }
  std::vector<LinkDescription> links(joints, MasslessLink(""));
  links.back() = Link("", 1);
  for (int k = carriers - 1; k >= 0; --k) {
    std::array<double, 3> axis = {};
    axis[k % 3] = 1;
    chain.insert(chain.begin(), Turning(axis, {0.3, 0.1, 0.2}));
    links.insert(links.begin(), Link("", 5, {0.1, 0.1, 0.1}));
  }
  return MakeChain(chain, links);
}

/// The rule decides about the chain, and where it is regular single precision
/// is near double.
void ExpectTheRulesAnswer(const std::shared_ptr<const Model>& model,
                          Quantity quantity, const std::string& name, int* lost,
                          int* regular) {
  BatchCase batch = AtRest(model, 1, std::vector<double>(model->nv()));
  batch.options.quantities = {quantity};
  const PivotVerdict verdict = PivotRule(model->tree()).At(batch.q.data());
  ++*(verdict.regular() ? regular : lost);
  const Output output = quantity == Quantity::kForwardDynamics
                            ? Output::kAcceleration
                            : Output::kMassMatrixInverse;
  const BatchResult exact = Reference(batch);
  ForResults(batch, [&](const BatchResult& result, const std::string& where) {
    EXPECT_EQ(result.issues.empty(), verdict.regular())
        << name << " on " << where;
    if (!verdict.regular()) return;
    const auto a = RowOf(exact, output, 0), b = RowOf(result, output, 0);
    EXPECT_LT((a - b).norm(), 0.02 * a.norm()) << name << where;
  });
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
            ExpectTheRulesAnswer(
                LeaningChain(lean, joints, reversed, carriers), quantity,
                std::to_string(joints) + " joints, lean " +
                    std::to_string(lean) + (reversed ? ", reversed" : "") +
                    ", " + std::to_string(carriers) + " carriers",
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
std::shared_ptr<const Model> LeaningAxesUnderManyJoints(double lean,
                                                        bool reversed) {
  std::vector<JointDescription> chain = {
      Turning({0, 1, 0}), Turning({1, lean, 0}), Turning({lean, 0, 1}),
      Turning({0, 0, 1})};
  if (reversed) std::reverse(chain.begin(), chain.end());
  std::vector<LinkDescription> links(3, MasslessLink(""));
  for (int k = 3; k < 14; ++k) {
    if (k > 3) chain.push_back(Turning({0, 0, 1}, {0.1, 0, 0}));
    if (k % 2 == 0) chain.back().axis = {0, 1, 0};
    const double m = std::pow(0.1, k);
    links.push_back(Link("", m, {0.05, 0.03, 0.08}, {m / 10, m / 10, m / 10}));
  }
  return MakeChain(chain, links);
}

TEST(NearSingular, NoLostStateOfManyJointsPasses) {
  for (int trial = 0; trial < 370; ++trial) {
    const double lean = 0.01 * std::pow(1.02, trial / 2);
    const auto model = LeaningAxesUnderManyJoints(lean, trial % 2 != 0);
    BatchCase batch = AtRest(model, 1, std::vector<double>(14));
    ASSERT_FALSE(PivotRule(model->tree()).At(batch.q.data()).regular());
    for (const Quantity quantity :
         {Quantity::kForwardDynamics, Quantity::kMassMatrixInverse,
          Quantity::kForwardDynamicsDerivatives, Quantity::kOperationalSpace}) {
      batch.options.quantities = {quantity};
      ForResults(
          batch, [&](const BatchResult& result, const std::string& where) {
            EXPECT_EQ(result.issues.size(), 1u)
                << "trial " << trial << " on " << where << ToString(quantity);
          });
    }
  }
}

TEST(NearSingular, ARollJointUnderHeavyLinksIsNotDividedByRoundOff) {
  // The last joint turns a heavy rod about its own axis; turned frames on the
  // way leave round-off of the other moments in that about the axis.
  const LinkDescription tiny = Link("", 1e-9, {}, {1e-19, 1e-19, 1e-19});
  BatchCase batch = MakeCase(
      MakeChain({Turning({0, 1, 0}), Turning({0, 0, 1}, {0, 0, 0.4}),
                 Turning({1, 0, 0}), Turning({0, 0, 1})},
                {Link("", 3, {0, 0, 0.2}, {0.1, 0.1, 0.01}), tiny, tiny,
                 Link("", 40, {0, 0.5, 0.8660254037844386}, {10, 10, 10})}),
      1, 1);
  batch.wrench.clear();
  batch.options.quantities = {Quantity::kForwardDynamics,
                              Quantity::kMassMatrixInverse};
  // Joints 1 and 3 turn about one axis when joint 2 is at zero.
  batch.q = {0.3, 0.7, 0, 0.4};
  ForResults(batch, [](const BatchResult& result, const std::string& where) {
    ASSERT_EQ(result.issues.size(), 1u) << where;
    EXPECT_EQ(result.issues[0].code, RowCode::kSingularMassMatrix);
    EXPECT_EQ(result.issues[0].column, 1);
  });
}

}  // namespace
}  // namespace torqued::testing_support

// States in which the mass matrix is singular, or nearly so, against long
// double.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "core/dynamics/pivot_check.h"
#include "core/engine/evaluation_plan.h"
#include "tests/core/dynamics/thin_robots.h"
#include "tests/core/lanes/batch_case.h"

namespace torqued::testing_support {
namespace {

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

/// Calls f(result, where, whether in single precision) with the results of all
/// targets in both precisions, and of the reference.
template <class Function>
void ForResults(const BatchCase& batch, const Function& f) {
  for (const Route& route : Routes()) {
    const bool single = route.precision == Precision::kSingle;
    f(Evaluate(batch, route), route.name, single);
  }
  f(Reference(batch), std::string("reference"), false);
}

TEST(NearSingular, TheRuleDecidesAndDigitsAreInProportionToTheDistance) {
  int lost = 0;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    const ThinRobot robot = MakeThinRobot(seed, {.most_joints = 16});
    if (robot.model == nullptr) continue;
    BatchCase batch = AtRest(robot.model, seed, robot.q);
    batch.options.quantities = {Quantity::kForwardDynamics,
                                Quantity::kMassMatrixInverse,
                                Quantity::kForwardDynamicsDerivatives};
    const Tree tree = robot.model->tree();
    const PivotCheck verdict = PivotRule(tree).At(robot.q.data());
    if (!verdict.regular()) ++lost;
    Eigen::VectorXd scales(tree.n), work(tree.n);
    InertiaScales(tree).At(tree, robot.q.data(), scales.data(), work.data());
    // Of the size that each joint can take.
    const Eigen::VectorXd unit = scales.cwiseSqrt();
    Eigen::Map<Eigen::VectorXd> tau(batch.tau.data(), tree.n);
    const double size = tau.norm();
    tau.array() *= unit.array();
    const WideInverse exact = InvertMassMatrix(tree, batch.q);
    ASSERT_TRUE(exact.positive || !verdict.regular());
    // Of a result as one of joints of the same scale.
    const auto even = [&](const Eigen::MatrixX<Wide>& by_tau) {
      return (unit.cast<Wide>().asDiagonal() * by_tau).eval();
    };
    const auto norm_of = [&](const Eigen::MatrixX<Wide>& inverse) {
      return (even(inverse) * unit.cast<Wide>().asDiagonal()).norm();
    };
    const double limit = verdict.trace * PivotTolerance(tree.n) *
                         static_cast<double>(norm_of(exact.inverse));
    ForResults(batch, [&](const BatchResult& result, const std::string& where,
                          bool single) {
      SCOPED_TRACE("seed " + std::to_string(seed) + " on " + where);
      if (!verdict.regular()) {
        ASSERT_EQ(result.issues.size(), 1u);
        EXPECT_EQ(result.issues[0].code, RowCode::kSingularMassMatrix);
        EXPECT_EQ(result.issues[0].column, verdict.joint);
        for (const auto& [output, table] : result.tables) {
          for (const double x : table) EXPECT_TRUE(std::isnan(x));
        }
        return;
      }
      EXPECT_TRUE(result.issues.empty());
      if (single) return;
      for (const Output output :
           {Output::kMassMatrixInverse, Output::kAccelerationByTau}) {
        const auto x = RowOf(result, output, 0, tree.n).cast<Wide>();
        EXPECT_LT(norm_of(x - exact.inverse), limit / std::sqrt(2));
      }
      const auto a = RowOf(result, Output::kAcceleration, 0).cast<Wide>();
      EXPECT_LT(even(a.transpose() - exact.inverse * tau.cast<Wide>()).norm(),
                limit * size);
    });
  }
  EXPECT_GT(lost, 20);
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
  return MakeTree(chain, links);
}

TEST(NearSingular, WhatSmallPivotsLoseMultiplies) {
  int lost = 0, regular = 0;
  // Where the chain is regular, single precision is near double.
  const auto check = [&](BatchCase& batch, Quantity quantity, Output output) {
    batch.options.quantities = {quantity};
    const Tree tree = batch.model->tree();
    const bool is = PivotRule(tree).At(batch.q.data()).regular();
    ++(is ? regular : lost);
    const BatchResult exact = Reference(batch);
    ForResults(
        batch, [&](const BatchResult& result, const std::string& where, bool) {
          EXPECT_EQ(result.issues.empty(), is) << where;
          if (!is) return;
          const auto a = RowOf(exact, output, 0), b = RowOf(result, output, 0);
          EXPECT_LT((a - b).norm(), 0.02 * a.norm()) << where;
        });
  };
  // With few joints the lanes bound an eigenvalue, with many they multiply.
  for (const int carriers : {0, 10}) {
    lost = regular = 0;
    for (const bool reversed : {false, true}) {
      for (const std::size_t joints : {3, 4, 5}) {
        for (double lean = 0.5; lean > 1e-4; lean *= 0.7) {
          SCOPED_TRACE(testing::Message()
                       << joints << " joints, lean " << lean << ", reversed "
                       << reversed << ", " << carriers << " carriers");
          const auto model = LeaningChain(lean, joints, reversed, carriers);
          BatchCase batch = AtRest(model, 1, std::vector<double>(model->nv()));
          check(batch, Quantity::kForwardDynamics, Output::kAcceleration);
          check(batch, Quantity::kMassMatrixInverse,
                Output::kMassMatrixInverse);
        }
      }
    }
    EXPECT_GT(lost, 20);
    EXPECT_GT(regular, 60);
  }
}

TEST(NearSingular, NoLostStateOfManyJointsPasses) {
  // Four axes through one point, which lean by little, and ten joints behind
  // them with links that become lighter and lighter: the first pivot is nothing
  // but what the next ones, none of them tiny, make of the round-off.
  for (int trial = 0; trial < 370; ++trial) {
    const double lean = 0.01 * std::pow(1.02, trial / 2);
    std::vector<JointDescription> chain = {
        Turning({0, 1, 0}), Turning({1, lean, 0}), Turning({lean, 0, 1}),
        Turning({0, 0, 1})};
    if (trial % 2 != 0) std::ranges::reverse(chain);
    std::vector<LinkDescription> links(3, MasslessLink(""));
    for (int k = 3; k < 14; ++k) {
      if (k > 3) chain.push_back(Turning({0, 0, 1}, {0.1, 0, 0}));
      if (k % 2 == 0) chain.back().axis = {0, 1, 0};
      const double m = std::pow(0.1, k), I = m / 10;
      links.push_back(Link("", m, {0.05, 0.03, 0.08}, {I, I, I}));
    }
    const auto model = MakeTree(chain, links);
    BatchCase batch = AtRest(model, 1, std::vector<double>(14));
    ASSERT_FALSE(PivotRule(model->tree()).At(batch.q.data()).regular());
    for (const Quantity quantity :
         {Quantity::kForwardDynamics, Quantity::kMassMatrixInverse,
          Quantity::kForwardDynamicsDerivatives, Quantity::kOperationalSpace}) {
      batch.options.quantities = {quantity};
      ForResults(batch, [&](const BatchResult& result, const std::string& where,
                            bool) {
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
      MakeTree({Turning({0, 1, 0}), Turning({0, 0, 1}, {0, 0, 0.4}),
                Turning({1, 0, 0}), Turning({0, 0, 1})},
               {Link("", 3, {0, 0, 0.2}, {0.1, 0.1, 0.01}), tiny, tiny,
                Link("", 40, {0, 0.5, 0.8660254037844386}, {10, 10, 10})}),
      1, 1);
  batch.wrench.clear();
  batch.options.quantities = {Quantity::kForwardDynamics,
                              Quantity::kMassMatrixInverse};
  // Joints 1 and 3 turn about one axis when joint 2 is at zero.
  batch.q = {0.3, 0.7, 0, 0.4};
  ForResults(batch,
             [&](const BatchResult& result, const std::string& where, bool) {
               ASSERT_EQ(result.issues.size(), 1u) << where;
               EXPECT_EQ(result.issues[0].code, RowCode::kSingularMassMatrix);
               EXPECT_EQ(result.issues[0].column, 1) << where;
             });
}

}  // namespace
}  // namespace torqued::testing_support

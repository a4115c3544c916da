#include "core/dynamics/pivot_check.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "core/engine/robot.h"
#include "tests/core/dynamics/robots.h"
#include "tests/core/dynamics/thin_robots.h"

namespace torqued::testing_support {
namespace {

using Eigen::VectorXd;

constexpr std::uint64_t kRobots = 6000;

/// What of all digits is lost, as the rule says; 1 at the limit.
double Loss(const Tree& tree, const PivotCheck& verdict) {
  return verdict.regular() ? verdict.trace * PivotTolerance(tree.n) : 1;
}

TEST(PivotRule, WhatIsRegularHasDigitsInProportionToItsDistanceFromTheLimit) {
  int regular = 0, near = 0, lost = 0;
  for (std::uint64_t seed = 0; seed < 2 * kRobots; ++seed) {
    const ThinRobot robot =
        MakeThinRobot(seed / 2, {.move_frames = seed % 2 != 0});
    if (robot.model == nullptr) continue;
    SCOPED_TRACE(seed);
    const Tree tree = robot.model->tree();
    PivotScratch own;
    const PivotCheck verdict =
        CheckPivots(tree, InertiaScales(tree), robot.q.data(), own);
    const WideInverse truth = InvertMassMatrix(tree, robot.q);
    if (!verdict.regular()) {
      ++lost;
      // Nothing is called lost that has digits.
      const Eigen::Map<const VectorXd> scales(own.scales.data(), tree.n);
      if (truth.positive) {
        EXPECT_GT(scales.cast<Wide>().dot(truth.inverse.diagonal()) *
                      PivotTolerance(tree.n),
                  0.5);
      }
      continue;
    }
    const double loss = Loss(tree, verdict);
    ++regular;
    near += loss > 1e-4;
    ASSERT_TRUE(truth.positive);
    for (int k = 0; k < tree.n; ++k) {
      EXPECT_NEAR(static_cast<double>(own.pivots[k] / truth.pivots[k]), 1,
                  loss / 2)
          << "joint " << k;
    }
  }
  EXPECT_GT(regular, 8000);
  EXPECT_GT(near, 300);
  EXPECT_GT(lost, 200);
}

struct Judged {
  int joint;
  double loss;
};

/// The verdict on a thin robot; none where the robot is refused.
std::optional<Judged> Judge(std::uint64_t seed,
                            const ThinRobotOptions& options) {
  const ThinRobot robot = MakeThinRobot(seed, options);
  if (robot.model == nullptr) return std::nullopt;
  const Tree tree = robot.model->tree();
  const PivotCheck verdict = PivotRule(tree).At(robot.q.data());
  return Judged{verdict.joint, Loss(tree, verdict)};
}

void ExpectSameClass(std::uint64_t seed, const ThinRobotOptions& options,
                     double band) {
  const auto one = Judge(seed, {}), other = Judge(seed, options);
  if (!one || !other || one->joint == other->joint) return;
  // Only next to the limit.
  EXPECT_GT(std::min(one->loss, other->loss), band) << "seed " << seed;
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
  constexpr Triple kX = {1, 0, 0}, kY = {0, 1, 0}, kZ = {0, 0, 1};
  const LinkDescription none = MasslessLink("");
  // Joints 1 and 2 turn about one axis and link 1 has no mass.
  const auto coaxial = ChainOf(
      {{{}, kZ, none}, {Shift(0, 0, 0.3), kZ, Link("", 1, {0.1, 0, 0})}});
  // Of two joints on one axis where the joint between them is straight.
  const auto gimbal =
      ChainOf({{{}, kZ, none}, {{}, kY, none}, {{}, kZ, Link("", 1, kZ)}});
  // The second link brings a heavy point back onto the first axis; what is
  // left about it is a share of what was carried, or round-off of it.
  const auto folded = [&](double inertia) {
    return ChainOf(
        {{{}, kZ, none},
         {Shift(1, 0, 0), kZ, Link("", 1, kX, {inertia, inertia, inertia})}});
  };
  const auto rotor = ChainOf({{{},
                               kX,
                               Link("", 1, {0.5, 0, 0}, {0, 0.1, 0.1}),
                               JointKind::kContinuous,
                               1e-3}});
  // j3 carries a point along y through the axis of j2 (x): at q3 = 0 it lies on
  // that axis and j2 moves nothing; j1 still does.
  const auto slider =
      ChainOf({{{}, kZ, Link("", 1)},
               {{}, kX, none},
               {{}, kY, Link("", 1, {}, {}), JointKind::kPrismatic}});
  const std::vector<double> folding = {0.3, std::numbers::pi};
  const struct {
    std::shared_ptr<const Model> model;
    std::vector<double> q;
    int joint;
  } cases[] = {{coaxial, {0.7, 0}, 0},
               {coaxial, {0.7, 0.4}, 0},
               {coaxial, {0.7, 2}, 0},
               {gimbal, {0.3, 0, 0.4}, 0},
               {gimbal, {0.3, 1.5, 0.4}, -1},
               {folded(1e-17), folding, 0},
               {folded(1e-15), folding, 0},
               {folded(1e-11), folding, -1},
               {slider, {0, 0, 0}, 1},
               {slider, {0, 0, 0.5}, -1},
               {rotor, {0.3}, -1}};
  for (const auto& is : cases) {
    SCOPED_TRACE(&is - cases);
    const PivotCheck verdict = PivotRule(is.model->tree()).At(is.q.data());
    EXPECT_EQ(verdict.joint, is.joint);
    EXPECT_LT(std::abs(verdict.pivot), 1e-14);
  }
  Robot robot(slider);
  const VectorXd q = VectorXd::Zero(3), ones = VectorXd::Ones(3);
  EXPECT_TRUE(robot.ForwardDynamics(q, ones, ones).array().isNaN().all());
  EXPECT_NE(robot.last_error().find("'j2' moves no mass"), std::string::npos);
}

TEST(PivotRule, NamesTheJointWhosePivotIsTheSmallestShareOfItsScale) {
  // Roll and yaw turn about nearly one axis with nothing between them. That is
  // not yet lost, but what pitch has left of its inertia is.
  constexpr double kLean = 1.2e-6;
  const LinkDescription none = MasslessLink("");
  const auto neck = ChainOf(
      {{{}, {0, 1, 0}, none},
       {Shift(0.01, 0, 0), {kLean, 0, 1}, none},
       {{}, {0, 0, 1}, Link("", 1, {0.03, 0.02, 0.05}, {1e-6, 1e-6, 1e-6})}});
  const double q[3] = {};
  PivotScratch own;
  const Tree tree = neck->tree();
  const PivotCheck verdict = CheckPivots(tree, InertiaScales(tree), q, own);
  EXPECT_EQ(verdict.joint, 1);
  EXPECT_EQ(verdict.pivot, own.pivots[1]);
  EXPECT_GT(own.shares[1], PivotTolerance(3));
  EXPECT_GT(own.shares[0], 100 * own.shares[1]);
}

}  // namespace
}  // namespace torqued::testing_support

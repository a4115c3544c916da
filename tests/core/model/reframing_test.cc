// The frames of a lowered tree make its joints as simple as their axes allow.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <vector>

#include "core/model/lowering.h"
#include "tests/core/model/lowered_placements.h"
#include "tests/core/model/test_trees.h"
#include "tests/support/load_model.h"

namespace torqued {
namespace {

using Eigen::Isometry3d;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;
using testing::Each;
using testing::ElementsAre;
using testing_support::Random;
using testing_support::ShippedModel;

using RowMajor3d = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
using Body = LoweredBody<double>;

// The longest offset of an axis from the one before, m.
double LongestOffset(const TestTree& tree) {
  double longest = 0;
  for (const TreeBody& body : tree.bodies) {
    if (body.parent == kBase) continue;
    longest = std::max(longest, Eigen::Map<const Vector3d>(body.p).norm());
  }
  return longest;
}

// The kinds of the joints after the first.
std::vector<Turn> InnerTurns(const LoweredModel& lowered) {
  std::vector<Turn> turns;
  for (int i = 1; i < lowered.f64().n; ++i) {
    turns.push_back(lowered.f64().bodies[i].turn);
  }
  return turns;
}

// The masks of p of the joints after the first.
std::vector<int> InnerShifts(const LoweredModel& lowered) {
  std::vector<int> shifts;
  for (int i = 1; i < lowered.f64().n; ++i) {
    shifts.push_back(lowered.f64().bodies[i].shift);
  }
  return shifts;
}

LoweredModel ChainOf(AxisRelation relation) {
  Random random(8);
  TestTree tree;
  for (int i = 0; i < 6; ++i) {
    AddBody(i - 1, JointMotion::kRevolute, relation, random, tree);
  }
  return LoweredModel(tree.tree());
}

TEST(Reframing, JointAxisIsZAndRevoluteOriginsStayOnTheAxis) {
  for (const TestTree& tree : ReasonableTrees()) {
    const LoweredModel lowered(tree.tree());
    for (int i = 0; i < tree.tree().n; ++i) {
      const BodyFrame& frame = lowered.f64().frames[i];
      EXPECT_EQ(frame.body, i);
      const Isometry3d C = Pose(frame);
      const Vector3d axis = Eigen::Map<const Vector3d>(tree.bodies[i].axis);
      EXPECT_LT((C.linear().col(2) - axis).norm(), 1e-15) << tree.name;
      EXPECT_LT((C.linear() * C.linear().transpose() - Matrix3d::Identity())
                    .cwiseAbs()
                    .maxCoeff(),
                1e-15);
      EXPECT_NEAR(C.linear().determinant(), 1, 1e-15);
      if (lowered.f64().bodies[i].motion == JointMotion::kPrismatic) continue;
      EXPECT_LT(C.translation().cross(axis).norm(), 1e-15) << tree.name;
      EXPECT_LE(C.translation().norm(), 10 * LongestOffset(tree) + 1e-15)
          << tree.name;
    }
  }
}

TEST(Reframing, TurnIsTheRotationOfItsKind) {
  std::set<Turn> seen;
  for (const TestTree& tree : ReasonableTrees()) {
    const LoweredModel lowered(tree.tree());
    for (int i = 0; i < tree.tree().n; ++i) {
      const Body& body = lowered.f64().bodies[i];
      seen.insert(body.turn);
      const double c = body.cos_turn, s = body.sin_turn;
      switch (body.turn) {
        case Turn::kNone:
          EXPECT_TRUE(c == 1 && s == 0);
          break;
        case Turn::kHalf:
          EXPECT_TRUE(c == -1 && s == 0);
          break;
        case Turn::kQuarter:
          EXPECT_TRUE(c == 0 && s == 1);
          break;
        case Turn::kAboutX:
          EXPECT_NEAR(std::hypot(c, s), 1, 1e-15);
          EXPECT_NE(body.parent, kBase);
          break;
        case Turn::kFull:
          continue;
      }
      EXPECT_THAT(body.R, ElementsAre(1, 0, 0, 0, c, -s, 0, s, c)) << tree.name;
    }
  }
  EXPECT_EQ(seen.size(), 5U) << "every kind occurs";
}

constexpr int kNoShift = 0, kA = 1, kD = 4;  // p = (a, 0, d)

TEST(Reframing, KindsAreWhatTheAxesOfAChainSay) {
  using R = AxisRelation;
  EXPECT_THAT(InnerTurns(ChainOf(R::kAny)), Each(Turn::kAboutX));
  EXPECT_THAT(InnerShifts(ChainOf(R::kAny)),
              ElementsAre(kA, kA | kD, kA | kD, kA | kD, kA | kD));
  EXPECT_THAT(InnerTurns(ChainOf(R::kParallel)), Each(Turn::kNone));
  // The last of the parallel axes has no successor that would turn x to it, but
  // its parent has.
  EXPECT_THAT(InnerShifts(ChainOf(R::kParallel)), Each(kA));
  EXPECT_THAT(InnerTurns(ChainOf(R::kAntiparallel)), Each(Turn::kHalf));
  EXPECT_THAT(InnerShifts(ChainOf(R::kAntiparallel)), Each(kA));
  EXPECT_THAT(InnerTurns(ChainOf(R::kPerpendicular)), Each(Turn::kQuarter));
  EXPECT_THAT(InnerShifts(ChainOf(R::kPerpendicular)),
              ElementsAre(kA, kA | kD, kA | kD, kA | kD, kA | kD));
  EXPECT_THAT(InnerTurns(ChainOf(R::kCoincident)), Each(Turn::kNone));
  EXPECT_THAT(InnerShifts(ChainOf(R::kCoincident)), Each(kNoShift));
  EXPECT_THAT(InnerTurns(ChainOf(R::kOppositeCoincident)), Each(Turn::kHalf));
  EXPECT_THAT(InnerShifts(ChainOf(R::kOppositeCoincident)), Each(kNoShift));
  EXPECT_THAT(InnerTurns(ChainOf(R::kIntersecting)), Each(Turn::kAboutX));
  EXPECT_THAT(InnerShifts(ChainOf(R::kIntersecting)),
              ElementsAre(kNoShift, kD, kD, kD, kD));
  EXPECT_THAT(InnerTurns(ChainOf(R::kRightIntersecting)), Each(Turn::kQuarter));
}

TEST(Reframing, PrismaticJointsHaveNoShiftAndTheTurnOfTheirAxes) {
  Random random(9);
  TestTree tree;
  AddBody(kBase, JointMotion::kRevolute, AxisRelation::kAny, random, tree);
  AddBody(0, JointMotion::kPrismatic, AxisRelation::kParallel, random, tree);
  AddBody(1, JointMotion::kPrismatic, AxisRelation::kPerpendicular, random,
          tree);
  AddBody(2, JointMotion::kPrismatic, AxisRelation::kAny, random, tree);
  AddBody(3, JointMotion::kRevolute, AxisRelation::kPerpendicular, random,
          tree);
  AddBody(4, JointMotion::kPrismatic, AxisRelation::kAntiparallel, random,
          tree);
  const LoweredModel lowered(tree.tree());
  EXPECT_THAT(InnerTurns(lowered),
              ElementsAre(Turn::kNone, Turn::kQuarter, Turn::kAboutX,
                          Turn::kQuarter, Turn::kHalf));
  EXPECT_THAT(InnerShifts(lowered), ElementsAre(0, 0, 0, kA | kD, 0));
}

TEST(Reframing, ShippedArmsHaveNoGeneralTurns) {
  const auto ur5e = ShippedModel("ur5e"), panda = ShippedModel("panda");
  ASSERT_EQ(ur5e->lowered().f64().n, 6);
  ASSERT_EQ(panda->lowered().f64().n, 7);
  EXPECT_THAT(InnerTurns(ur5e->lowered()),
              ElementsAre(Turn::kQuarter, Turn::kNone, Turn::kNone,
                          Turn::kQuarter, Turn::kQuarter));
  EXPECT_THAT(InnerTurns(panda->lowered()), Each(Turn::kQuarter));
  EXPECT_EQ(ur5e->lowered().f64().bodies[0].turn, Turn::kNone);
  EXPECT_EQ(panda->lowered().f64().bodies[0].turn, Turn::kNone);
  EXPECT_EQ(ur5e->lowered().f64().slots, 0);
}

TEST(Reframing, RootsAreTurnedFullyOrByRightAngles) {
  constexpr double kPi = std::numbers::pi;
  const auto turn_of_root = [](const Matrix3d& R) {
    TestTree tree{.name = "", .bodies = {TreeBody{}}};
    TreeBody& body = tree.bodies[0];
    body.parent = kBase;
    Eigen::Map<RowMajor3d>(body.R) = R;
    body.axis[2] = 1;
    return LoweredModel(tree.tree()).f64().bodies[0].turn;
  };
  const auto about_x = [&](double angle) {
    return turn_of_root(
        Eigen::AngleAxisd(angle, Vector3d::UnitX()).toRotationMatrix());
  };
  EXPECT_EQ(about_x(0), Turn::kNone);
  EXPECT_EQ(about_x(kPi), Turn::kHalf);
  EXPECT_EQ(about_x(kPi / 2), Turn::kQuarter);
  EXPECT_EQ(about_x(-kPi / 2), Turn::kFull);
  EXPECT_EQ(about_x(0.3), Turn::kFull);
  Random random(18);
  EXPECT_EQ(turn_of_root(random.Rotation()), Turn::kFull);
}

TEST(Reframing, CoordinateAxesGiveExactNumbers) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    TestTree tree = RandomTree(seed, 8, 0.3, 0.2);
    Random random(seed);
    for (TreeBody& body : tree.bodies) {
      Eigen::Map<RowMajor3d>(body.R) = Matrix3d::Identity();
      const double sign = random.Chance(0.5) ? 1 : -1;
      Eigen::Map<Vector3d>(body.axis) = sign * Vector3d::Unit(random.Index(3));
      // Feet and axes at the corners of a lattice.
      for (double& p : body.p) p = random.Index(5) - 2;
    }
    const LoweredModel lowered(tree.tree());
    const auto is_whole = [](double x) { return x == std::round(x); };
    for (int i = 0; i < 8; ++i) {
      const Body& body = lowered.f64().bodies[i];
      const BodyFrame& frame = lowered.f64().frames[i];
      // The x of a parent whose first child is parallel points anywhere.
      const bool second = body.turn == Turn::kFull && body.parent != kBase;
      EXPECT_TRUE(second ||
                  std::all_of(std::begin(body.R), std::end(body.R), is_whole));
      EXPECT_TRUE(
          std::all_of(std::begin(frame.p), std::end(frame.p), is_whole));
    }
  }
}

TEST(Reframing, RoundedRightAnglesAreNotTakenForRightAngles) {
  for (const TestTree& tree : ReasonableTrees()) {
    if (!tree.name.starts_with("right angle")) continue;
    const bool exact = tree.name.ends_with("exact");
    const auto turns = InnerTurns(LoweredModel(tree.tree()));
    EXPECT_EQ(std::count(turns.begin(), turns.end(), Turn::kFull), 0);
    if (exact) {
      EXPECT_EQ(std::count(turns.begin(), turns.end(), Turn::kAboutX), 0);
    } else {
      EXPECT_EQ(std::count(turns.begin(), turns.end(), Turn::kQuarter), 0)
          << tree.name;
      EXPECT_GE(std::count(turns.begin(), turns.end(), Turn::kAboutX), 4)
          << tree.name;
    }
  }
}

TEST(Reframing, LargestChildGetsTheSimplestTransform) {
  Random random(10);
  TestTree tree;
  const auto add = [&](int parent) {
    AddBody(parent, JointMotion::kRevolute, AxisRelation::kAny, random, tree);
  };
  for (const int parent : {kBase, 0, 1, 1, 3, 4, 0}) add(parent);
  const LoweredModel lowered(tree.tree());
  EXPECT_THAT(InnerTurns(lowered),
              ElementsAre(Turn::kAboutX, Turn::kFull, Turn::kAboutX,
                          Turn::kAboutX, Turn::kAboutX, Turn::kFull));
}

TEST(Reframing, ParallelSliderLeavesTheChoiceOfXToOthers) {
  Random random(16);
  TestTree tree;
  AddBody(kBase, JointMotion::kRevolute, AxisRelation::kAny, random, tree);
  AddBody(0, JointMotion::kPrismatic, AxisRelation::kParallel, random, tree);
  AddBody(1, JointMotion::kRevolute, AxisRelation::kAny, random, tree);
  AddBody(0, JointMotion::kRevolute, AxisRelation::kAny, random, tree);
  const LoweredModel lowered(tree.tree());
  EXPECT_THAT(InnerTurns(lowered),
              ElementsAre(Turn::kNone, Turn::kAboutX, Turn::kAboutX));
  EXPECT_THAT(InnerShifts(lowered), ElementsAre(0, kA | kD, kA));
  EXPECT_LT(PlacementError(tree, lowered, VectorXd::Ones(4), VectorXd::Ones(4)),
            1e-14);
}

TEST(Reframing, FeetOfCommonNormalsAreNotSoughtFarAway) {
  Random random(12);
  TestTree tree;
  AddBody(kBase, JointMotion::kRevolute, AxisRelation::kAny, random, tree);
  AddBody(0, JointMotion::kRevolute, AxisRelation::kAny, random, tree);
  // The axes are 5 mrad apart, and cross 200 offsets away.
  AddBodyAtSine(1, 5e-3, random, tree);
  const LoweredModel lowered(tree.tree());
  EXPECT_EQ(lowered.f64().bodies[2].turn, Turn::kAboutX);
  EXPECT_EQ(lowered.f64().bodies[2].shift, 3) << "p = (a, b, 0)";
  EXPECT_LT(Pose(lowered.f64().frames[2]).translation().norm(), 1);
}

TEST(Reframing, FeetOfCommonNormalsAreNotSoughtBetweenNearlyParallelAxes) {
  // The axes cross 0.2 m off: p = (0, 0, d) as long as that is well determined.
  for (const double sine : {2e-3, 5e-4}) {
    Random random(17);
    TestTree tree;
    AddBody(kBase, JointMotion::kRevolute, AxisRelation::kAny, random, tree);
    AddBody(0, JointMotion::kRevolute, AxisRelation::kAny, random, tree);
    AddBodyAtSine(1, sine, random, tree);
    TreeBody& body = tree.bodies[2];
    const Vector3d z = Eigen::Map<const RowMajor3d>(body.R) *
                       Eigen::Map<const Vector3d>(body.axis);
    Eigen::Map<Vector3d>(body.p) = 0.2 * z;
    const LoweredModel lowered(tree.tree());
    EXPECT_EQ(lowered.f64().bodies[2].turn, Turn::kAboutX);
    const int d = lowered.f64().bodies[2].shift & kD;
    EXPECT_EQ(d, sine > 1e-3 ? kD : 0) << sine;
    const VectorXd q = VectorXd::Ones(3);
    EXPECT_LT(PlacementError(tree, lowered, q, q), 1e-14);
  }
}

TEST(Reframing, SlidesDoNotAddUpAlongParallelAxes) {
  Random random(13);
  TestTree tree;
  for (int i = 0; i < 1024; ++i) {
    AddBody(i - 1, JointMotion::kRevolute, AxisRelation::kParallel, random,
            tree);
    // A staircase.
    TreeBody& body = tree.bodies[i];
    if (i > 0) {
      Eigen::Map<Vector3d>(body.p) +=
          0.2 * Eigen::Map<const Vector3d>(tree.bodies[i - 1].axis);
    }
  }
  const LoweredModel lowered(tree.tree());
  for (int i = 0; i < 1024; ++i) {
    EXPECT_LE(Pose(lowered.f64().frames[i]).translation().norm(),
              10 * LongestOffset(tree));
  }
  EXPECT_THAT(InnerTurns(lowered), Each(Turn::kNone));
}

}  // namespace
}  // namespace torqued

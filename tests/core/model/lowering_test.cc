// The lowered tree is the tree: the same motions, energies and torques.
#include "core/model/lowering.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/dynamics/kinematics.h"
#include "core/dynamics/rnea.h"
#include "core/dynamics/workspace.h"
#include "tests/core/model/matrix_dynamics.h"
#include "tests/core/model/test_trees.h"
#include "tests/support/compare.h"
#include "tests/support/load_model.h"

namespace torqued {
namespace {

using Eigen::Isometry3d;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;
using testing::Each;
using testing::ElementsAre;
using testing_support::LargestErrors;
using testing_support::Random;
using testing_support::RelativeError;

using RowMajor3d = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
using Body = LoweredBody<double>;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
const Vector3d kGravity(1, 2, -9.81);

struct Motion {
  VectorXd q, v, a;
};

Motion RandomMotion(int n, Random& random) {
  return {random.Vector(n, -3, 3), random.Vector(n, -2, 2),
          random.Vector(n, -2, 2)};
}

// By the recursive Newton-Euler of core/dynamics.
VectorXd Torques(const Tree& tree, const Motion& motion) {
  Workspace<double> workspace(tree.n);
  Scratch<double>& scratch = workspace.scratch();
  const DynamicsTerms terms = {
      .gravity = {kGravity.x(), kGravity.y(), kGravity.z()},
      .viscous_friction = false,
      .coulomb_friction = false,
      .external_wrenches = false};
  VectorXd tau(tree.n);
  ComputePlacements(tree, motion.q.data(), scratch);
  InverseDynamics(tree, terms, motion.v.data(), motion.a.data(), scratch,
                  tau.data());
  return tau;
}

Isometry3d Pose(const BodyFrame& frame) {
  Isometry3d pose = Isometry3d::Identity();
  pose.linear() = Eigen::Map<const RowMajor3d>(frame.R);
  pose.translation() = Eigen::Map<const Vector3d>(frame.p);
  return pose;
}

bool IsPrismatic(const Body& body) {
  return body.motion == JointMotion::kPrismatic;
}

// The longest offset of an axis from the one before, m.
double LongestOffset(const TestTree& tree) {
  double longest = 0;
  for (const TreeBody& body : tree.bodies) {
    if (body.parent == kBase) continue;
    longest = std::max(longest, Eigen::Map<const Vector3d>(body.p).norm());
  }
  return longest;
}

// All offsets and travels together, m.
double Size(const TestTree& tree, const VectorXd& q) {
  double size = q.cwiseAbs().sum();
  for (const TreeBody& body : tree.bodies) {
    size += Eigen::Map<const Vector3d>(body.p).norm();
  }
  return size;
}

// The largest difference of T_{0,i} C_i and T_{0,i'}, lengths in units of the
// robot's size.
double PlacementError(const TestTree& tree, const LoweredModel& lowered,
                      const VectorXd& q, const VectorXd& q_lowered) {
  const auto expected = MatrixDynamics(tree.tree()).Poses(q);
  const auto actual = MatrixDynamics(lowered.f64()).Poses(q_lowered);
  const double size = Size(tree, q);
  double error = 0;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const Isometry3d pose = expected[i] * Pose(lowered.f64().frames[i]);
    const double turned =
        (actual[i].linear() - pose.linear()).cwiseAbs().maxCoeff();
    const double moved = (actual[i].translation() - pose.translation()).norm();
    error = std::max({error, turned, moved / size});
  }
  return error;
}

TEST(Lowering, PlacementsAreThoseOfTheLoweredFrames) {
  LargestErrors errors;
  Random random(1);
  for (const TestTree& tree : ReasonableTrees()) {
    if (tree.bodies.empty()) continue;
    const LoweredModel lowered(tree.tree());
    for (int state = 0; state < 5; ++state) {
      const VectorXd q = RandomMotion(tree.tree().n, random).q;
      errors.Add("placement", PlacementError(tree, lowered, q, q), tree.name);
      errors.Add("twin: 1 mrad off",
                 PlacementError(tree, lowered, q, q.array() + 1e-3), tree.name);
    }
  }
  errors.ExpectBelow("placement", 1e-14);
  errors.ExpectAbove("twin: 1 mrad off", 1e-5);
}

TEST(Lowering, TorquesAreUnchanged) {
  LargestErrors errors;
  Random random(2);
  for (const TestTree& tree : ReasonableTrees()) {
    if (tree.bodies.empty()) continue;
    const LoweredModel lowered(tree.tree());
    const MatrixDynamics dynamics(lowered.f64());
    std::vector<Body> heavier(lowered.f64().bodies,
                              lowered.f64().bodies + lowered.f64().n);
    for (Body& body : heavier) {
      for (double& S : body.S) S *= 1.01;
      for (double& h : body.h) h *= 1.01;
      body.mass *= 1.01;
    }
    LoweredTreeOf<double> other = lowered.f64();
    other.bodies = heavier.data();
    for (int state = 0; state < 5; ++state) {
      const Motion m = RandomMotion(tree.tree().n, random);
      const VectorXd tau = Torques(tree.tree(), m);
      errors.Add(
          "tau",
          RelativeError(dynamics.InverseDynamics(m.q, m.v, m.a, kGravity), tau),
          tree.name);
      errors.Add("twin: 1 % heavier",
                 RelativeError(MatrixDynamics(other).InverseDynamics(
                                   m.q, m.v, m.a, kGravity),
                               tau),
                 tree.name);
    }
  }
  errors.ExpectBelow("tau", 1e-13);
  errors.ExpectAbove("twin: 1 % heavier", 1e-4);
}

TEST(Lowering, EnergiesAreUnchangedButForAConstant) {
  LargestErrors errors;
  Random random(3);
  int constants = 0;
  for (const TestTree& tree : ReasonableTrees()) {
    if (tree.bodies.empty()) continue;
    const LoweredModel lowered(tree.tree());
    const MatrixDynamics before(tree.tree()), after(lowered.f64());
    const VectorXd home = VectorXd::Zero(tree.tree().n);
    const double P_before = before.PotentialEnergy(home, kGravity);
    const double P_after = after.PotentialEnergy(home, kGravity);
    if (std::abs(P_after - P_before) > 0.1) ++constants;
    for (int state = 0; state < 5; ++state) {
      const Motion m = RandomMotion(tree.tree().n, random);
      const double K = before.KineticEnergy(m.q, m.v);
      errors.Add("K", std::abs(after.KineticEnergy(m.q, m.v) / K - 1),
                 tree.name);
      errors.Add("twin: K of other rates",
                 std::abs(after.KineticEnergy(m.q, 1.01 * m.v) / K - 1),
                 tree.name);
      const double dP_before = before.PotentialEnergy(m.q, kGravity) - P_before;
      const double dP_after = after.PotentialEnergy(m.q, kGravity) - P_after;
      errors.Add("P",
                 std::abs(dP_after - dP_before) /
                     std::max(std::abs(dP_before), std::abs(P_before)),
                 tree.name);
    }
  }
  errors.ExpectBelow("K", 1e-13);
  errors.ExpectBelow("P", 1e-13);
  errors.ExpectAbove("twin: K of other rates", 1e-2);
  EXPECT_GT(constants, 50) << "the twin: P itself is another";
}

TEST(Lowering, JointAxisIsZAndRevoluteOriginsStayOnTheAxis) {
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
      if (IsPrismatic(lowered.f64().bodies[i])) continue;
      EXPECT_LT(C.translation().cross(axis).norm(), 1e-15) << tree.name;
      EXPECT_LE(C.translation().norm(), 10 * LongestOffset(tree) + 1e-15)
          << tree.name;
    }
  }
}

TEST(Lowering, LayoutIsKept) {
  for (const TestTree& tree : ReasonableTrees()) {
    const LoweredModel lowered(tree.tree());
    ASSERT_EQ(lowered.f64().n, tree.tree().n);
    std::vector<int> children(tree.bodies.size(), 0);
    for (const TreeBody& body : tree.bodies) {
      if (body.parent != kBase) ++children[body.parent];
    }
    for (int i = 0; i < tree.tree().n; ++i) {
      const TreeBody& source = tree.bodies[i];
      const Body& body = lowered.f64().bodies[i];
      EXPECT_EQ(body.branches, children[i] > 1);
      EXPECT_EQ(body.parent, source.parent);
      EXPECT_EQ(body.motion, source.motion);
      EXPECT_EQ(body.armature, source.armature);
      EXPECT_EQ(body.viscous_friction, source.viscous_friction);
      EXPECT_EQ(body.coulomb_friction, source.coulomb_friction);
      for (int k = 0; k < 3; ++k) {
        EXPECT_EQ(body.p[k] != 0, (body.shift >> k & 1) != 0) << tree.name;
      }
      EXPECT_LE(body.shift, 7);
      // q0 is rounded to half an ulp of π, ε.
      EXPECT_NEAR(body.cos_q0, std::cos(body.q0), 2 * kEpsilon);
      EXPECT_NEAR(body.sin_q0, std::sin(body.q0), 2 * kEpsilon);
      if (IsPrismatic(body)) {
        EXPECT_THAT(body.S, Each(0)) << tree.name;
        EXPECT_TRUE(body.shift == 0 || body.parent == kBase) << tree.name;
      } else {
        EXPECT_EQ(body.h[2], 0) << tree.name;
        EXPECT_EQ(body.mass, 0) << tree.name;
      }
    }
  }
}

TEST(Lowering, TurnIsTheRotationOfItsKind) {
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

TEST(Lowering, CompositeMassIsTheKeptMassOfTheSubtree) {
  for (const TestTree& tree : ReasonableTrees()) {
    const LoweredModel lowered(tree.tree());
    for (int i = 0; i < tree.tree().n; ++i) {
      double kept = 0, real = 0;
      for (int k = i; k < tree.tree().n; ++k) {
        int j = k;
        while (j > i) j = tree.bodies[j].parent;
        if (j != i) continue;
        kept += lowered.f64().bodies[k].mass;
        real += tree.bodies[k].mass;
      }
      const Body& body = lowered.f64().bodies[i];
      EXPECT_NEAR(body.composite_mass, kept, 1e-13) << tree.name;
      if (IsPrismatic(body)) {
        EXPECT_NEAR(body.composite_mass, real, 1e-13) << tree.name;
      }
    }
  }
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

constexpr int kNoShift = 0, kA = 1, kD = 4;  // p = (a, 0, d)

TEST(Lowering, KindsAreWhatTheAxesOfAChainSay) {
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

TEST(Lowering, PrismaticJointsHaveNoShiftAndTheTurnOfTheirAxes) {
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

std::shared_ptr<const Model> Shipped(const std::string& name) {
  return testing_support::LoadModel(testing_support::ReadFile(
      std::string(TORQUED_MODELS) + "/" + name + ".urdf"));
}

TEST(Lowering, ShippedArmsHaveNoGeneralTurns) {
  const auto ur5e = Shipped("ur5e"), panda = Shipped("panda");
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

TEST(Lowering, RootsAreTurnedFullyOrByRightAngles) {
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

TEST(Lowering, CoordinateAxesGiveExactNumbers) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    TestTree tree = RandomTree(seed, 8, 0.3, 0.2);
    Random random(seed);
    for (TreeBody& body : tree.bodies) {
      Eigen::Map<RowMajor3d>(body.R) = Matrix3d::Identity();
      Eigen::Map<Vector3d>(body.axis) =
          Vector3d::Unit(random.Index(3)) * (random.Chance(0.5) ? 1 : -1);
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

TEST(Lowering, RoundedRightAnglesAreNotTakenForRightAngles) {
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

TEST(Lowering, LargestChildGetsTheSimplestTransform) {
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

TEST(Lowering, ParallelSliderLeavesTheChoiceOfXToOthers) {
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

TEST(Lowering, NearlyParallelAxesCostNoAccuracy) {
  LargestErrors errors;
  Random random(11);
  for (const double sine :
       {1e-1, 3e-2, 1e-2, 2e-3, 5e-4, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const TestTree tree = NearParallelChain(sine, seed);
      const LoweredModel lowered(tree.tree());
      EXPECT_EQ(lowered.f64().bodies[4].turn, Turn::kAboutX);
      const Motion m = RandomMotion(8, random);
      const VectorXd tau = Torques(tree.tree(), m);
      errors.Add("tau",
                 RelativeError(MatrixDynamics(lowered.f64())
                                   .InverseDynamics(m.q, m.v, m.a, kGravity),
                               tau),
                 tree.name);
      errors.Add("placement", PlacementError(tree, lowered, m.q, m.q),
                 tree.name);
      // How far two ways to compute are apart without lowering.
      errors.Add("unlowered",
                 RelativeError(MatrixDynamics(tree.tree())
                                   .InverseDynamics(m.q, m.v, m.a, kGravity),
                               tau),
                 tree.name);
    }
  }
  errors.ExpectBelow("tau", 1e-14);
  errors.ExpectBelow("placement", 1e-14);
}

TEST(Lowering, FeetOfCommonNormalsAreNotSoughtFarAway) {
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

TEST(Lowering, FeetOfCommonNormalsAreNotSoughtBetweenNearlyParallelAxes) {
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

TEST(Lowering, SlidesDoNotAddUpAlongParallelAxes) {
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

bool SameButForThePlace(const Body& a, const Body& b) {
  return std::equal(std::begin(a.S), std::end(a.S), b.S) &&
         std::equal(std::begin(a.h), std::end(a.h), b.h) &&
         std::equal(std::begin(a.R), std::end(a.R), b.R) && a.mass == b.mass &&
         a.q0 == b.q0 && a.turn == b.turn;
}

TEST(Lowering, WhereTheRobotStandsChangesOnlyTheRoots) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    TestTree tree = NearParallelChain(3e-3, seed);
    const LoweredModel here(tree.tree());
    for (double& p : tree.bodies[0].p) p += 1000;
    const LoweredModel there(tree.tree());
    for (int i = 0; i < 8; ++i) {
      const Body& a = here.f64().bodies[i];
      const Body& b = there.f64().bodies[i];
      EXPECT_TRUE(SameButForThePlace(a, b)) << tree.name;
      EXPECT_EQ(std::equal(std::begin(a.p), std::end(a.p), b.p), i > 0);
    }
  }
}

// Bodies by number, through the memory that the layout provides: what the body
// before left, and the slots.
class SlotMemory {
 public:
  explicit SlotMemory(int slots) : slots_(slots) {}

  // False, and nothing done, beyond the slots.
  bool Save(int slot, int value) {
    if (slot < 0 || slot >= static_cast<int>(slots_.size())) return false;
    slots_[slot] = value;
    return true;
  }
  std::optional<int> Load(int slot) const {
    if (slot < 0 || slot >= static_cast<int>(slots_.size())) return {};
    return slots_[slot];
  }

 private:
  std::vector<std::optional<int>> slots_;
};

// Whether every body of a pass from the base finds what its parent left.
bool EveryChildFindsItsParent(const LoweredTreeOf<double>& tree) {
  SlotMemory memory(tree.slots);
  for (int i = 0; i < tree.n; ++i) {
    const Body& body = tree.bodies[i];
    if (body.parent != kBase) {
      const Body& parent = tree.bodies[body.parent];
      const std::optional<int> found =
          parent.branches ? memory.Load(parent.slot) : i - 1;
      if (found != body.parent) return false;
    }
    if (body.branches && !memory.Save(body.slot, i)) return false;
    if (!body.branches && body.slot != -1) return false;
  }
  return true;
}

// Whether every body of a pass towards the base finds the sum of its children's
// subtrees, here in bodies, and no other.
bool EveryParentFindsItsChildren(const LoweredTreeOf<double>& tree) {
  std::vector<int> size(tree.n, 1);
  for (int i = tree.n; i-- > 0;) {
    if (tree.bodies[i].parent != kBase) size[tree.bodies[i].parent] += size[i];
  }
  SlotMemory memory(tree.slots);
  int passed = 0;  // by the body after this one
  for (int i = tree.n; i-- > 0;) {
    const Body& body = tree.bodies[i];
    int carried = 0;
    if (body.branches) {
      carried = memory.Load(body.slot).value_or(-1);
    } else if (i + 1 < tree.n && tree.bodies[i + 1].parent == i) {
      carried = passed;
    }
    if (carried + 1 != size[i]) return false;
    passed = carried + 1;
    if (body.parent == kBase || !tree.bodies[body.parent].branches) {
      if (body.last_child) return false;
      continue;
    }
    const int slot = tree.bodies[body.parent].slot;
    const int sum = body.last_child ? 0 : memory.Load(slot).value_or(-1);
    if (!memory.Save(slot, sum + passed)) return false;
  }
  return true;
}

TEST(Lowering, PassesFindParentsAndChildrenThroughTheSlots) {
  std::vector<TestTree> trees = ReasonableTrees();
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    trees.push_back(RandomTree(seed, 60, 0.2, 0.2 + 0.03 * seed));
  }
  int most = 0;
  for (const TestTree& tree : trees) {
    const LoweredModel lowered(tree.tree());
    EXPECT_TRUE(EveryChildFindsItsParent(lowered.f64())) << tree.name;
    EXPECT_TRUE(EveryParentFindsItsChildren(lowered.f64())) << tree.name;
    int used = 0;
    for (int i = 0; i < lowered.f64().n; ++i) {
      used = std::max(used, lowered.f64().bodies[i].slot + 1);
    }
    EXPECT_EQ(lowered.f64().slots, used) << tree.name;
    most = std::max(most, used);
  }
  EXPECT_GE(most, 4);
}

TEST(Lowering, PassesNeedTheSlotsAsTheyAre) {
  // The twin: a fork in the first of two arms.
  Random random(15);
  TestTree tree;
  for (const int parent : {kBase, 0, 1, 1, 0}) {
    AddBody(parent, JointMotion::kRevolute, AxisRelation::kAny, random, tree);
  }
  const LoweredModel lowered(tree.tree());
  std::vector<Body> bodies(lowered.f64().bodies,
                           lowered.f64().bodies + lowered.f64().n);
  LoweredTreeOf<double> twin = lowered.f64();
  ASSERT_EQ(twin.slots, 2);
  EXPECT_TRUE(EveryChildFindsItsParent(twin));
  EXPECT_TRUE(EveryParentFindsItsChildren(twin));
  twin.slots = 1;
  EXPECT_FALSE(EveryChildFindsItsParent(twin));
  twin = lowered.f64();
  twin.bodies = bodies.data();
  bodies[1].slot = 0;
  EXPECT_FALSE(EveryChildFindsItsParent(twin));
  EXPECT_FALSE(EveryParentFindsItsChildren(twin));
  bodies[1].slot = 1;
  std::swap(bodies[2].last_child, bodies[3].last_child);
  EXPECT_FALSE(EveryParentFindsItsChildren(twin));
}

TEST(Lowering, SinglePrecisionIsTheDoubleRounded) {
  const auto expect_rounded = [](const auto& rounded, const auto& exact) {
    for (std::size_t k = 0; k < std::size(exact); ++k) {
      EXPECT_EQ(rounded[k], static_cast<float>(exact[k]));
    }
  };
  for (const TestTree& tree : ReasonableTrees()) {
    const LoweredModel lowered(tree.tree());
    const LoweredTreeOf<double> f64 = lowered.f64();
    const LoweredTreeOf<float> f32 = lowered.f32();
    ASSERT_EQ(f32.n, f64.n);
    EXPECT_EQ(f32.slots, f64.slots);
    EXPECT_EQ(f32.frames, f64.frames);
    for (int i = 0; i < f64.n; ++i) {
      const LoweredBody<float>& a = f32.bodies[i];
      const Body& b = f64.bodies[i];
      EXPECT_EQ(a.parent, b.parent);
      EXPECT_EQ(a.motion, b.motion);
      EXPECT_EQ(a.turn, b.turn);
      EXPECT_EQ(a.shift, b.shift);
      EXPECT_EQ(a.branches, b.branches);
      EXPECT_EQ(a.slot, b.slot);
      EXPECT_EQ(a.last_child, b.last_child);
      expect_rounded(a.R, b.R);
      expect_rounded(a.p, b.p);
      expect_rounded(a.S, b.S);
      expect_rounded(a.h, b.h);
      const float numbers[] = {
          a.cos_turn,         a.sin_turn, a.q0,
          a.cos_q0,           a.sin_q0,   a.mass,
          a.composite_mass,   a.armature, a.viscous_friction,
          a.coulomb_friction,
      };
      const double exact[] = {
          b.cos_turn,         b.sin_turn, b.q0,
          b.cos_q0,           b.sin_q0,   b.mass,
          b.composite_mass,   b.armature, b.viscous_friction,
          b.coulomb_friction,
      };
      expect_rounded(numbers, exact);
    }
  }
}

TEST(Lowering, RobotWithoutJointsIsEmpty) {
  for (const LoweredModel& lowered :
       {LoweredModel(), LoweredModel(Tree{.n = 0, .bodies = nullptr})}) {
    EXPECT_EQ(lowered.f64().n, 0);
    EXPECT_EQ(lowered.f64().slots, 0);
    EXPECT_EQ(lowered.f32().n, 0);
  }
}

TEST(Lowering, AbsurdNumbersDoNoHarm) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double absurd : {0.0, 1e300, -1e300, 1e-300, 5e-324, infinity,
                              std::numeric_limits<double>::quiet_NaN()}) {
    for (int what = 0; what < 7; ++what) {
      for (std::uint64_t seed = 0; seed < 10; ++seed) {
        TestTree tree = RandomTree(seed, 12, 0.3, 0.3);
        for (std::size_t i = seed % 3; i < tree.bodies.size(); i += 3) {
          TreeBody& body = tree.bodies[i];
          if (what == 0) std::fill_n(body.p, 3, absurd);
          if (what == 1) body.p[1] = absurd;
          if (what == 2) std::fill_n(body.R, 9, absurd);
          if (what == 3) std::fill_n(body.axis, 3, absurd);
          if (what == 4) body.mass = body.h[0] = absurd;
          if (what == 5) std::fill_n(body.I, 6, absurd);
          if (what == 6) body.armature = absurd;
        }
        const LoweredModel lowered(tree.tree());
        EXPECT_EQ(lowered.f64().n, 12);
        EXPECT_TRUE(EveryChildFindsItsParent(lowered.f64()));
        EXPECT_TRUE(EveryParentFindsItsChildren(lowered.f64()));
      }
    }
  }
}

TEST(Lowering, LargeRobotsHaveFiniteNumbers) {
  Random random(14);
  TestTree star;
  for (int i = 0; i < 1024; ++i) {
    AddBody(i == 0 ? kBase : 0, JointMotion::kRevolute, AxisRelation::kAny,
            random, star);
  }
  for (const TestTree& tree :
       {star, RandomTree(1, 1024, 0.3, 0), RandomTree(2, 1024, 0.3, 0.3),
        RandomTree(3, 1024, 1, 0.1)}) {
    const LoweredModel lowered(tree.tree());
    EXPECT_TRUE(EveryChildFindsItsParent(lowered.f64()));
    EXPECT_TRUE(EveryParentFindsItsChildren(lowered.f64()));
    float sum = 0;
    for (int i = 0; i < 1024; ++i) {
      const LoweredBody<float>& body = lowered.f32().bodies[i];
      for (const float x : body.R) sum += std::abs(x);
      for (const float x : body.p) sum += std::abs(x);
      for (const float x : body.S) sum += std::abs(x);
      for (const float x : body.h) sum += std::abs(x);
      sum += std::abs(body.q0) + body.composite_mass;
    }
    EXPECT_LT(sum, 1e12F);
  }
}

TEST(Lowering, ModelsHaveTheirTreeLowered) {
  const auto model = Shipped("panda");
  const LoweredModel lowered(model->tree());
  ASSERT_EQ(model->lowered().f64().n, 7);
  for (int i = 0; i < 7; ++i) {
    const Body& a = model->lowered().f64().bodies[i];
    EXPECT_TRUE(SameButForThePlace(a, lowered.f64().bodies[i]));
    EXPECT_TRUE(
        std::equal(std::begin(a.p), std::end(a.p), lowered.f64().bodies[i].p));
  }
}

}  // namespace
}  // namespace torqued

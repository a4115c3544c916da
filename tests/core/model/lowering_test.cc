// The lowered tree is the tree: the same motions, energies and torques.
#include "core/model/lowering.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>
#include <utility>
#include <vector>

#include "core/dynamics/kinematics.h"
#include "core/dynamics/rnea.h"
#include "core/dynamics/workspace.h"
#include "tests/core/model/lowered_placements.h"
#include "tests/core/model/matrix_dynamics.h"
#include "tests/core/model/slot_passes.h"
#include "tests/core/model/test_trees.h"
#include "tests/support/compare.h"
#include "tests/support/load_model.h"

namespace torqued {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;
using testing::Each;
using testing_support::LargestErrors;
using testing_support::Random;
using testing_support::RelativeError;
using testing_support::ShippedModel;

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

bool IsPrismatic(const Body& body) {
  return body.motion == JointMotion::kPrismatic;
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

TEST(Lowering, SubtreesAreContiguous) {
  for (const TestTree& tree : ReasonableTrees()) {
    const LoweredModel lowered(tree.tree());
    const int n = tree.tree().n;
    const auto carries = [&tree](int body, int other) {
      while (other > body) other = tree.bodies[other].parent;
      return other == body;
    };
    for (int i = 0; i < n; ++i) {
      const int end = lowered.f64().bodies[i].subtree_end;
      for (int k = 0; k < n; ++k) {
        EXPECT_EQ(i <= k && k < end, carries(i, k)) << tree.name;
      }
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

constexpr double kPi = std::numbers::pi;
constexpr double kQuarterTurn = kPi / 2;

TEST(Lowering, OffsetsAreQuarterTurnsAndARest) {
  int quarter_turns = 0, rests = 0;
  std::set<int> quadrants;
  for (const TestTree& tree : ReasonableTrees()) {
    const LoweredModel lowered(tree.tree());
    for (int i = 0; i < lowered.f64().n; ++i) {
      const Body& body = lowered.f64().bodies[i];
      EXPECT_GE(body.quadrant, 0);
      EXPECT_LE(body.quadrant, 3);
      EXPECT_LE(std::abs(body.q0_rest), std::nextafter(kPi / 4, 1));
      double c = std::cos(body.q0_rest), s = std::sin(body.q0_rest);
      for (int turn = 0; turn < body.quadrant; ++turn) {
        c = -std::exchange(s, c);
      }
      EXPECT_NEAR(body.cos_q0, c, 2 * kEpsilon) << tree.name;
      EXPECT_NEAR(body.sin_q0, s, 2 * kEpsilon) << tree.name;
      quadrants.insert(body.quadrant);
      if (body.cos_q0 == 0 || body.sin_q0 == 0) {
        EXPECT_EQ(body.q0_rest, 0) << tree.name;
        ++quarter_turns;
      } else {
        ++rests;
      }
    }
  }
  EXPECT_EQ(quadrants.size(), 4U);
  EXPECT_GT(quarter_turns, 50);
  EXPECT_GT(rests, 100);
}

TEST(Lowering, TurningAJointsHomeTurnsItsOffset) {
  Random random(19);
  TestTree tree;
  for (int i = 0; i < 3; ++i) {
    AddBody(i - 1, JointMotion::kRevolute, AxisRelation::kAny, random, tree);
  }
  const LoweredModel at_home(tree.tree());
  const double before = std::atan2(at_home.f64().bodies[1].sin_q0,
                                   at_home.f64().bodies[1].cos_q0);
  Eigen::Map<RowMajor3d> R(tree.bodies[1].R);
  const Matrix3d home = R;
  const Vector3d axis = Eigen::Map<const Vector3d>(tree.bodies[1].axis);
  for (int step = -100; step <= 100; ++step) {
    const double angle = 0.1 * step;
    R = home * Eigen::AngleAxisd(angle, axis).toRotationMatrix();
    const Body body = LoweredModel(tree.tree()).f64().bodies[1];
    const double offset = before + angle;
    const int turns = static_cast<int>(std::lround(offset / kQuarterTurn));
    EXPECT_EQ(body.quadrant, turns & 3) << angle;
    EXPECT_NEAR(body.q0_rest, offset - turns * kQuarterTurn, 1e-14) << angle;
  }
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

bool SameButForThePlace(const Body& a, const Body& b) {
  return std::equal(std::begin(a.S), std::end(a.S), b.S) &&
         std::equal(std::begin(a.h), std::end(a.h), b.h) &&
         std::equal(std::begin(a.R), std::end(a.R), b.R) && a.mass == b.mass &&
         a.quadrant == b.quadrant && a.q0_rest == b.q0_rest && a.turn == b.turn;
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
      EXPECT_EQ(a.subtree_end, b.subtree_end);
      expect_rounded(a.R, b.R);
      expect_rounded(a.p, b.p);
      expect_rounded(a.S, b.S);
      expect_rounded(a.h, b.h);
      EXPECT_EQ(a.quadrant, b.quadrant);
      const float numbers[] = {
          a.cos_turn,         a.sin_turn, a.q0_rest,
          a.cos_q0,           a.sin_q0,   a.mass,
          a.composite_mass,   a.armature, a.viscous_friction,
          a.coulomb_friction,
      };
      const double exact[] = {
          b.cos_turn,         b.sin_turn, b.q0_rest,
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
      sum += std::abs(body.q0_rest) + body.composite_mass;
    }
    EXPECT_LT(sum, 1e12F);
  }
}

TEST(Lowering, ModelsHaveTheirTreeLowered) {
  const auto model = ShippedModel("panda");
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

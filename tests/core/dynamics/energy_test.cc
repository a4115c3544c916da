// Laws of energy and power.
#include "core/dynamics/energy-inl.h"

#include <gtest/gtest.h>

#include "tests/core/dynamics/random_cases.h"
#include "tests/support/compare.h"

namespace torqued::testing_support {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kGravity[3] = {1.5, -2.5, -9};
const DynamicsTerms kTerms = {{1.5, -2.5, -9}, false, false, false};

TEST(Energy, KineticEnergyIsTheQuadraticFormOfTheMassMatrix) {
  for (const RandomCase& c : MakeRandomCases({.armature = true})) {
    Configured<double> at = At(c.tree(), c.state.q);
    const VectorXd& v = c.state.v;
    RowMajor M = MassMatrixOf(c);
    const double K = KineticEnergy(c.tree(), v.data(), at.scratch());
    EXPECT_NEAR(K, 0.5 * v.dot(M * v), 1e-14 * K) << c.name;
    // Twin: the rotors count.
    for (int i = 0; i < c.n(); ++i) M(i, i) -= c.bodies[i].armature;
    EXPECT_GT(K - 0.5 * v.dot(M * v), 1e-4 * K) << c.name;
    EXPECT_EQ(KineticEnergy(c.tree(), static_cast<const double*>(nullptr),
                            at.scratch()),
              0);
  }
}

TEST(Energy, GravityTorqueIsTheGradientOfThePotential) {
  for (const RandomCase& c : MakeRandomCases()) {
    const VectorXd g = Torques(c.tree(), kTerms, c.state.q, nullptr, nullptr);
    VectorXd gradient(c.n());
    for (int j = 0; j < c.n(); ++j) {
      Configured<Dual> at(c.tree(), Along(c.state.q, VectorXd::Unit(c.n(), j)));
      gradient[j] = PotentialEnergy(c.tree(), kGravity, at.scratch()).d;
    }
    const double scale = std::max(1.0, g.cwiseAbs().maxCoeff());
    EXPECT_LT((gradient - g).cwiseAbs().maxCoeff(), 1e-13 * scale) << c.name;
    // Twin: gravity itself exerts -g.
    EXPECT_GT((gradient + g).cwiseAbs().maxCoeff(), 1e-4 * scale) << c.name;
  }
}

TEST(Energy, PotentialIsZeroAtTheBaseOriginAndGrowsUpwards) {
  TreeBody body = {};
  body.parent = kBase;
  body.motion = JointMotion::kPrismatic;
  body.R[0] = body.R[4] = body.R[8] = 1;
  body.axis[2] = 1;
  body.mass = 3;
  const Tree tree = {1, &body};
  constexpr double kDown[3] = {0, 0, -9.81};
  Configured<double> origin = At(tree, VectorXd::Zero(1));
  EXPECT_EQ(PotentialEnergy(tree, kDown, origin.scratch()), 0);
  Configured<double> above = At(tree, VectorXd::Constant(1, 2));
  EXPECT_DOUBLE_EQ(PotentialEnergy(tree, kDown, above.scratch()), 3 * 9.81 * 2);
}

TEST(Energy, PowerOfTheTorquesIsTheRateOfTheEnergy) {
  for (const RandomCase& c : MakeRandomCases({.armature = true})) {
    const State& s = c.state;
    Configured<Dual> at(c.tree(), Along(s.q, s.v));
    const std::vector<Dual> v = Along(s.v, s.a);
    const double K_rate = KineticEnergy(c.tree(), v.data(), at.scratch()).d;
    const double P_rate = PotentialEnergy(c.tree(), kGravity, at.scratch()).d;
    const VectorXd tau = Torques(c.tree(), kTerms, s.q, s.v.data(), s.a.data());
    const double scale = std::max(1.0, tau.cwiseAbs().dot(s.v.cwiseAbs()));
    EXPECT_NEAR(K_rate + P_rate, tau.dot(s.v), 1e-13 * scale) << c.name;
    // Twin: kinetic energy alone.
    EXPECT_GT(std::abs(K_rate - tau.dot(s.v)), 1e-6 * scale) << c.name;
  }
}

}  // namespace
}  // namespace torqued::testing_support

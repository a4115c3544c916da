// Centre of mass and momentum of whole robots.
#include "core/dynamics/momentum-inl.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "core/dynamics/rnea-inl.h"
#include "tests/core/dynamics/random_cases.h"
#include "tests/support/compare.h"

namespace torqued::testing_support {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

struct Momentum {
  Vector3d com, com_velocity;
  Vector6d h;
};

Momentum MomentumOf(const RandomCase& c) {
  Configured<double> at = At(c.tree(), c.state.q);
  Momentum m;
  CentroidalMomentum(c.tree(), c.state.v.data(), at.scratch(), m.com.data(),
                     m.com_velocity.data(), m.h.data());
  return m;
}

/// Body by body: r × m ṙ about the common centre of mass, and R I_c Rᵀ ω.
Vector6d MomentumByParticles(const RandomCase& c, const Vector3d& com) {
  Configured<Dual> at(c.tree(), Along(c.state.q, c.state.v));
  Vector6d h = Vector6d::Zero();
  for (int i = 0; i < c.n(); ++i) {
    const TreeBody& body = c.bodies[i];
    const Transform<Dual>& T = at.scratch().X_world[i];
    Matrix3d R, R_rate;
    R << T.R.c0.x.x, T.R.c1.x.x, T.R.c2.x.x,  //
        T.R.c0.y.x, T.R.c1.y.x, T.R.c2.y.x,   //
        T.R.c0.z.x, T.R.c1.z.x, T.R.c2.z.x;
    R_rate << T.R.c0.x.d, T.R.c1.x.d, T.R.c2.x.d,  //
        T.R.c0.y.d, T.R.c1.y.d, T.R.c2.y.d,        //
        T.R.c0.z.d, T.R.c1.z.d, T.R.c2.z.d;
    const Vector3d p(T.p.x.x, T.p.y.x, T.p.z.x);
    const Vector3d p_rate(T.p.x.d, T.p.y.d, T.p.z.d);
    const Vector3d r = Vector3d(body.h[0], body.h[1], body.h[2]) / body.mass;
    Matrix3d I;
    I << body.I[0], body.I[1], body.I[2], body.I[1], body.I[3], body.I[4],
        body.I[2], body.I[4], body.I[5];
    I -= body.mass *
         (r.squaredNorm() * Matrix3d::Identity() - r * r.transpose());
    const Matrix3d W = R_rate * R.transpose();
    const Vector3d w(W(2, 1), W(0, 2), W(1, 0));
    const Vector3d impulse = body.mass * (p_rate + R_rate * r);
    h.head<3>() += (p + R * r - com).cross(impulse) + R * I * R.transpose() * w;
    h.tail<3>() += impulse;
  }
  return h;
}

TEST(Momentum, IsTheSumOverTheBodies) {
  for (const RandomCase& c : MakeRandomCases({.armature = true})) {
    const Momentum m = MomentumOf(c);
    EXPECT_LT(RelativeError(m.h, MomentumByParticles(c, m.com)), 1e-13)
        << c.name;
    // Twin: about another point.
    EXPECT_GT(RelativeError(
                  m.h, MomentumByParticles(c, m.com + Vector3d(.1, .2, .3))),
              1e-4)
        << c.name;
  }
}

TEST(Momentum, IsTheMomentumMatrixTimesTheVelocity) {
  for (const RandomCase& c : MakeRandomCases()) {
    const Momentum m = MomentumOf(c);
    Configured<double> at = At(c.tree(), c.state.q);
    RowMajor A_G(6, c.n()), J(3, c.n());
    CentroidalMomentumMatrix(c.tree(), at.scratch(), A_G.data());
    EXPECT_LT(RelativeError(A_G * c.state.v, m.h), 1e-13) << c.name;
    CenterOfMassJacobian(c.tree(), A_G.data(), J.data());
    EXPECT_LT(RelativeError(J * c.state.v, m.com_velocity), 1e-13) << c.name;
    EXPECT_LT(
        RelativeError(TotalMass(c.tree()) * m.com_velocity, m.h.tail<3>()),
        1e-15);
    EXPECT_DOUBLE_EQ(TotalMass(c.tree()), c.model->moving_mass());
    // Twin: of the halves swapped.
    EXPECT_GT(RelativeError(A_G.bottomRows(3) * c.state.v, m.h.head<3>()), 1e-6)
        << c.name;
  }
}

TEST(Momentum, VelocityOfTheCentreOfMassIsItsRate) {
  for (const RandomCase& c : MakeRandomCases()) {
    const Momentum m = MomentumOf(c);
    Configured<Dual> at(c.tree(), Along(c.state.q, c.state.v));
    std::vector<Dual> com(3);
    CenterOfMass(c.tree(), at.scratch(), com.data());
    EXPECT_LT(RelativeError(m.com_velocity, Rates(com, 3, 1)), 1e-13) << c.name;
    for (int k = 0; k < 3; ++k) EXPECT_EQ(m.com[k], com[k].x) << c.name;
  }
}

TEST(Momentum, RateIsTheBaseReactionAndTheWeight) {
  const Vector3d g(1.5, -2.5, -9);
  const DynamicsTerms terms = {{1.5, -2.5, -9}, false, false, false};
  for (const RandomCase& c : MakeRandomCases({.armature = true})) {
    const State& s = c.state;
    Configured<double> at = At(c.tree(), s.q);
    VectorXd tau(c.n());
    InverseDynamics(c.tree(), terms, s.v.data(), s.a.data(), at.scratch(),
                    tau.data());
    Vector6d reaction;
    BaseReaction(c.tree(), at.scratch(), reaction.data());

    Configured<Dual> moving(c.tree(), Along(s.q, s.v));
    const std::vector<Dual> v = Along(s.v, s.a);
    std::vector<Dual> com(3), com_velocity(3), h(6);
    CentroidalMomentum(c.tree(), v.data(), moving.scratch(), com.data(),
                       com_velocity.data(), h.data());
    // About the centre of mass weight has no moment.
    const Vector3d p(com[0].x, com[1].x, com[2].x);
    Vector6d expected = Rates(h, 6, 1);
    expected.tail<3>() -= TotalMass(c.tree()) * g;
    expected.head<3>() += p.cross(expected.tail<3>());
    EXPECT_LT(RelativeError(reaction, expected), 1e-13) << c.name;
    // Twin: without the weight.
    expected.tail<3>() += TotalMass(c.tree()) * g;
    EXPECT_GT(RelativeError(reaction, expected), 1e-3) << c.name;
  }
}

TEST(Momentum, OfNoMassIsZeroAtTheBaseOrigin) {
  for (RandomCase c : MakeRandomCases({.count = 6})) {
    for (TreeBody& body : c.bodies) {
      body.mass = 0;
      for (double& h : body.h) h = 0;
    }
    const Momentum m = MomentumOf(c);
    EXPECT_EQ(m.com, Vector3d::Zero());
    EXPECT_EQ(m.com_velocity, Vector3d::Zero());
    // Inertia without mass has angular momentum still.
    EXPECT_EQ((m.h.tail<3>()), Vector3d::Zero());
    EXPECT_TRUE(m.h.allFinite());
    Configured<double> at = At(c.tree(), c.state.q);
    RowMajor A_G(6, c.n()), J(3, c.n());
    CentroidalMomentumMatrix(c.tree(), at.scratch(), A_G.data());
    CenterOfMassJacobian(c.tree(), A_G.data(), J.data());
    EXPECT_EQ(J.norm(), 0);
  }
  RandomCase nothing;
  EXPECT_EQ(MomentumOf(nothing).com, Vector3d::Zero());
}

}  // namespace
}  // namespace torqued::testing_support

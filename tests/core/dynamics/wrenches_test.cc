// Wrenches through joints, and wrenches from outside.
#include <gtest/gtest.h>

#include "core/dynamics/jacobian-inl.h"
#include "core/dynamics/rnea-inl.h"
#include "tests/core/dynamics/random_cases.h"
#include "tests/support/compare.h"

namespace torqued::testing_support {
namespace {

using Eigen::VectorXd;

VectorXd Torques(const RandomCase& c, const DynamicsTerms& terms,
                 Configured<double>& at) {
  VectorXd tau(c.n());
  InverseDynamics(c.tree(), terms, c.state.v.data(), c.state.a.data(),
                  at.scratch(), tau.data());
  return tau;
}

TEST(JointWrenches, ProjectOnTheAxesToTheTorques) {
  DynamicsTerms terms = {{1.5, -2.5, -9}, true, true, false};
  for (const RandomCase& c :
       MakeRandomCases({.friction = true, .armature = true})) {
    Configured<double> at = At(c.tree(), c.state.q);
    const VectorXd tau = Torques(c, terms, at);
    std::vector<double> rows(static_cast<std::size_t>(6 * c.n()));
    JointWrenches(c.tree(), at.scratch(), rows.data());
    VectorXd projected(c.n());
    VectorXd inside(c.n());  // between the bodies of a joint
    for (int i = 0; i < c.n(); ++i) {
      const TreeBody& body = c.bodies[i];
      const int offset = body.motion == JointMotion::kRevolute ? 0 : 3;
      const Eigen::Map<const Eigen::Vector3d> F(rows.data() + 6 * i + offset),
          axis(body.axis);
      projected[i] = axis.dot(F);
      const double v = c.state.v[i];
      inside[i] = body.armature * c.state.a[i] + body.viscous_friction * v +
                  body.coulomb_friction * (v > 0 ? 1 : -1);
    }
    EXPECT_LT(RelativeError(projected + inside, tau), 1e-13) << c.name;
    // Twin: rotors and friction are not in the wrenches.
    EXPECT_GT(RelativeError(projected, tau), 1e-4) << c.name;
  }
}

TEST(JointWrenches, CarryTheWeightOfARobotAtRest) {
  const DynamicsTerms terms = {{0, 0, -9.81}, false, false, false};
  for (RandomCase c : MakeRandomCases()) {
    c.state.v.setZero(), c.state.a.setZero();
    Configured<double> at = At(c.tree(), c.state.q);
    Torques(c, terms, at);
    Vector6d reaction;
    BaseReaction(c.tree(), at.scratch(), reaction.data());
    const double weight = 9.81 * c.model->moving_mass();
    EXPECT_NEAR(reaction[3], 0, 1e-13 * weight) << c.name;
    EXPECT_NEAR(reaction[4], 0, 1e-13 * weight) << c.name;
    EXPECT_NEAR(reaction[5], weight, 1e-13 * weight) << c.name;
  }
}

TEST(ExternalWrenches, EnterByTheTransposedJacobians) {
  Random random(3);
  for (const RandomCase& c : MakeRandomCases()) {
    DynamicsTerms terms = {{0, 0, -9.81}, false, false, false};
    Configured<double> at = At(c.tree(), c.state.q);
    VectorXd expected = Torques(c, terms, at);
    const double scale = std::max(1.0, expected.cwiseAbs().maxCoeff());
    const VectorXd without = expected;

    ClearWrenches(c.tree(), at.scratch());
    // On every body, in every reference frame; twice on the first.
    for (int k = 0; k <= c.n(); ++k) {
      BodyFrame frame = c.tip;
      frame.body = k % c.n();
      for (const ReferenceFrame reference : kReferenceFrames) {
        const VectorXd wrench = random.Vector(6, -5, 5);
        AddWrench(c.tree(), frame, reference, wrench.data(), at.scratch());
        RowMajor J(6, c.n());
        FrameJacobian(c.tree(), frame, reference, at.scratch(), J.data());
        expected -= J.transpose() * wrench;
      }
    }
    terms.external_wrenches = true;
    EXPECT_LT(RelativeError(Torques(c, terms, at), expected, scale), 1e-13)
        << c.name;
    // Twin.
    EXPECT_GT(RelativeError(without, expected, scale), 1e-3) << c.name;

    ClearWrenches(c.tree(), at.scratch());
    EXPECT_EQ(Torques(c, terms, at), without) << c.name;
  }
}

TEST(ExternalWrenches, OnTheBaseMoveNothing) {
  const RandomCase c = MakeRandomCases({.count = 3}).back();
  Configured<double> at = At(c.tree(), c.state.q);
  // With room before the first body.
  std::vector<Wrench<double>> room(static_cast<std::size_t>(c.n() + 1),
                                   Wrench<double>::Zero());
  at.scratch().W = room.data() + 1;
  BodyFrame frame = c.tip;
  frame.body = kBase;
  const VectorXd wrench = VectorXd::Ones(6);
  AddWrench(c.tree(), frame, ReferenceFrame::kLocal, wrench.data(),
            at.scratch());
  for (const Wrench<double>& W : room) EXPECT_EQ(ToEigen(W).norm(), 0);
}

}  // namespace
}  // namespace torqued::testing_support

// Laws that compare robots: parts of one, with rotors, with joints that do not
// move, without mass.
#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "tests/core/dynamics/robots.h"
#include "tests/support/random_robot.h"
#include "tests/support/with_armature.h"

namespace torqued::testing_support {
namespace {

using Eigen::VectorXd;
using enum Quantity;

constexpr QuantitySet kOfParts = {
    kInverseDynamics, kLinkTwists,     kLinkAccelerations,
    kJointWrenches,   kRegressor,      kInverseDynamicsDerivatives,
    kMassMatrix,      kForwardDynamics};

TEST_P(Laws, ARobotOnAMovingBaseIsAPartOfALargerOne) {
  // What is beyond a body is a robot with this body as its base.
  int parts = 0, moved = 0;
  ForAll([&](Setting s) {
    // In the order of joints that its parts have.
    s.model = PartBeyond(*s.model, kBase);
    s.options.terms.viscous_friction = s.options.terms.coulomb_friction = true;
    const VectorXd tau = Of(s, {kInverseDynamics})[Output::kTau];
    s[Input::kTau] = tau;  // so that parts accelerate alike
    const Answers whole = Of(s, kOfParts);
    for (int base = 0; base < s.n(); ++base) {
      const auto part = PartBeyond(*s.model, base);
      const int m = part->nv(), first = base + 1;
      if (m == 0) continue;
      SCOPED_TRACE("beyond joint " + std::to_string(base));
      ++parts;
      Setting there = s;
      there.options.tip_frame = s.model->joints()[base].child_link;
      const RowMajor pose = Of(there, {kFramePose}).Matrix(Output::kPose, 3);
      Setting p{"part", part, s.options};
      for (const Input input : {Input::kQ, Input::kV, Input::kA, Input::kTau}) {
        p[input] = s[input].segment(first, m);
      }
      p[Input::kGravity] =
          pose.leftCols(3).transpose() * Eigen::Vector3d(1.5, -2.5, -9);
      const Answers at_rest = Of(p, kOfParts);
      p[Input::kBaseTwist] = whole.Matrix(Output::kLinkTwists).row(base);
      p[Input::kBaseAcceleration] =
          whole.Matrix(Output::kLinkAccelerations).row(base);
      const Answers is = Of(p, kOfParts);
      const double size = whole[Output::kJointWrenches].norm();
      const VectorXd tau_beyond = tau.segment(first, m);
      EXPECT_SAME(is[Output::kTau], tau_beyond, size);
      moved += RelativeError(at_rest[Output::kTau], tau_beyond, size) > 1e-3;
      EXPECT_LT(
          RelativeError(is[Output::kAcceleration], p[Input::kA], 1 + size),
          tolerance() * ConditionNumber(is.Matrix(Output::kMassMatrix)));
      // Of all columns, or of so many for each joint.
      for (const auto& [output, width] :
           {std::pair(Output::kLinkTwists, 0),
            std::pair(Output::kLinkAccelerations, 0),
            std::pair(Output::kJointWrenches, 0), std::pair(Output::kTauByQ, 1),
            std::pair(Output::kTauByV, 1), std::pair(Output::kRegressor, 10)}) {
        const RowMajor all = whole.Matrix(output);
        const RowMajor beyond = all.block(first, width * first, m,
                                          width == 0 ? all.cols() : width * m);
        EXPECT_SAME(is.Matrix(output), beyond, 1 + all.norm())
            << ToString(output);
      }
    }
  });
  EXPECT_GT(parts, 100);
  EXPECT_GT(moved, 80);
}

TEST_P(Laws, RotorsAddToTheDiagonalAndNothingElse) {
  ForAll([](const Setting& s) {
    Setting plain{s.name, WithArmature(*s.model, 0), s.options, s.inputs},
        geared{s.name, WithArmature(*s.model, 1), s.options, s.inputs};
    const QuantitySet quantities = {kMassMatrix, kInverseDynamics,
                                    kBiasForces, kCoriolisMatrix,
                                    kMomentum,   kJointWrenches};
    const Answers without = Of(plain, quantities),
                  with = Of(geared, quantities);
    RowMajor rotors = RowMajor::Zero(s.n(), s.n());
    for (int i = 0; i < s.n(); ++i) {
      rotors(i, i) = geared.model->tree().bodies[i].armature;
    }
    EXPECT_SAME(with.Matrix(Output::kMassMatrix),
                without.Matrix(Output::kMassMatrix) + rotors);
    EXPECT_SAME(with[Output::kTau],
                without[Output::kTau] + rotors * s[Input::kA], 1);
    for (const Output output : {Output::kBias, Output::kCoriolisMatrix,
                                Output::kMomentum, Output::kJointWrenches}) {
      EXPECT_EQ(with[output], without[output]) << ToString(output);
    }
  });
}

/// A chain about alternating axes, of which two can be all that move.
std::shared_ptr<const Model> Alternating(bool locked) {
  std::vector<Segment> segments;
  for (int i = 0; i < 6; ++i) {
    LinkDescription link = Link("", 1.5 + i);
    link.inertial->origin =
        Pose::FromXyzRpy({0.1, -0.05 * i, 0.2}, {0.3, i * 0.2, 1});
    link.inertial->inertia = {0.02, 0.001, -0.002, 0.03, 0.003, 0.025};
    segments.push_back(
        {Pose::FromXyzRpy({0.1 * i, 0.2, -0.1}, {0.5, -0.4 * i, 0.7}),
         i % 2 == 0 ? Triple{0, 0, 1} : Triple{0, 0.6, 0.8}, link,
         locked && i != 0 && i != 2 ? JointKind::kFixed
                                    : JointKind::kContinuous});
  }
  return ChainOf(segments);
}

TEST_P(Laws, FixedJointsAreLikeJointsThatStandStill) {
  Setting small{"merged", Alternating(true)},
      large{"whole", Alternating(false)};
  const std::vector<int> both = {0, 2};
  Random random(5);
  for (int k = 0; k < 20; ++k) {
    for (const Input input : {Input::kQ, Input::kV, Input::kA}) {
      small[input] = random.Vector(2, -2, 2);
      large[input] = VectorXd::Zero(6);
      large[input](both) = small[input];
    }
    small[Input::kTipWrench] = large[Input::kTipWrench] =
        random.Vector(6, -5, 5);
    const QuantitySet quantities = {kInverseDynamics, kMassMatrix, kFramePose};
    const Answers is = Of(small, quantities), expected = Of(large, quantities);
    const VectorXd tau = expected[Output::kTau];
    EXPECT_SAME(is[Output::kTau], tau(both), tau.norm());
    EXPECT_SAME(is[Output::kPose], expected[Output::kPose]);
    EXPECT_SAME(is.Matrix(Output::kMassMatrix),
                expected.Matrix(Output::kMassMatrix)(both, both));
    // Twin: a locked joint elsewhere is another robot.
    large[Input::kQ][1] = 0.1;
    EXPECT_GT((Of(large, quantities)[Output::kPose] - is[Output::kPose]).norm(),
              1e-3);
  }
}

TEST_P(Laws, ARobotWithoutMassHasItsCentreAtTheOriginOfTheBase) {
  Setting s{"weightless", ChainOf({{Shift(1, 2, 3),
                                    {0, 0, 1},
                                    MasslessLink(""),
                                    JointKind::kContinuous,
                                    0.1}})};
  s[Input::kQ] = s[Input::kV] = VectorXd::Ones(1);
  const Answers is = Of(s, {kCenterOfMass});
  EXPECT_EQ(is[Output::kCenterOfMass], VectorXd::Zero(3));
  EXPECT_EQ(is[Output::kCenterOfMassVelocity], VectorXd::Zero(3));
}

TEST_P(Laws, AParticleOnAVerticalLineNeedsItsWeightAndInertia) {
  // m (a + g), at any height and speed.
  constexpr double kMass = 2.5, kG = 9.81;
  Setting s{"lift", ChainOf({{{},
                              {0, 0, 1},
                              Link("", kMass, {0.1, 0.2, 0.3}, {}),
                              JointKind::kPrismatic}})};
  s.options.terms.gravity = {0, 0, -kG};
  Random random(6);
  for (int k = 0; k < 20; ++k) {
    for (const Input input : {Input::kQ, Input::kV, Input::kA}) {
      s[input] = random.Vector(1, -9, 9);
    }
    const double a = s[Input::kA][0];
    EXPECT_NEAR(Of(s, {kInverseDynamics})[Output::kTau][0], kMass * (a + kG),
                tolerance() * kMass * (9 + kG));
  }
}

}  // namespace
}  // namespace torqued::testing_support

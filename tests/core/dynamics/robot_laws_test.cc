// Laws that compare robots: parts of one, with rotors, with joints that do not
// move.
#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "core/model/model_builder.h"
#include "tests/core/dynamics/robots.h"
#include "tests/support/compare.h"
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
  for (Setting s : Settings()) {
    // In the order of joints that its parts have.
    s.model = PartBeyond(*s.model, kBase);
    s.options.terms.viscous_friction = s.options.terms.coulomb_friction = true;
    const VectorXd tau = Of(s, {kInverseDynamics})[Output::kTau];
    s[Input::kTau] = tau;  // so that parts accelerate alike
    const Answers whole = Of(s, kOfParts);
    const int n = s.n();
    for (int base = 0; base < n; ++base) {
      const auto part = PartBeyond(*s.model, base);
      const int m = part->nv();
      if (m == 0) continue;
      SCOPED_TRACE(s.name + ", beyond joint " + std::to_string(base));
      ++parts;
      Setting there = s;
      there.options.tip_frame = s.model->joints()[base].child_link;
      const RowMajor pose = Of(there, {kFramePose}).Matrix(Output::kPose, 3);
      Setting p{"part", part, s.options, {}};
      for (const Input input : {Input::kQ, Input::kV, Input::kA, Input::kTau}) {
        p[input] = s[input].segment(base + 1, m);
      }
      p[Input::kGravity] =
          pose.leftCols(3).transpose() * Eigen::Vector3d(1.5, -2.5, -9);
      const Answers at_rest = Of(p, kOfParts);
      p[Input::kBaseTwist] = whole.Matrix(Output::kLinkTwists, n).row(base);
      p[Input::kBaseAcceleration] =
          whole.Matrix(Output::kLinkAccelerations, n).row(base);
      const Answers is = Of(p, kOfParts);
      // By joints.
      const double size = whole[Output::kJointWrenches].norm();
      EXPECT_LT(RelativeError(is[Output::kTau], tau.segment(base + 1, m), size),
                tolerance());
      moved += RelativeError(at_rest[Output::kTau], tau.segment(base + 1, m),
                             size) > 1e-3;
      const double condition =
          ConditionNumber(is.Matrix(Output::kMassMatrix, m));
      EXPECT_LT(
          RelativeError(is[Output::kAcceleration], p[Input::kA], 1 + size) /
              condition,
          tolerance());
      for (const Output output :
           {Output::kLinkTwists, Output::kLinkAccelerations,
            Output::kJointWrenches}) {
        const RowMajor rows = whole.Matrix(output, n);
        EXPECT_LT(RelativeError(is.Matrix(output, m),
                                rows.middleRows(base + 1, m), 1 + rows.norm()),
                  tolerance())
            << ToString(output);
      }
      // By pairs of joints.
      for (const auto& [output, width] :
           {std::pair(Output::kTauByQ, 1), std::pair(Output::kTauByV, 1),
            std::pair(Output::kRegressor, 10)}) {
        const RowMajor all = whole.Matrix(output, n);
        EXPECT_LT(
            RelativeError(is.Matrix(output, m),
                          all.block(base + 1, width * (base + 1), m, width * m),
                          1 + all.norm()),
            tolerance())
            << ToString(output);
      }
    }
  }
  EXPECT_GT(parts, 100);
  EXPECT_GT(moved, 80);
}

TEST_P(Laws, RotorsAddToTheDiagonalAndNothingElse) {
  for (const Setting& s : Settings()) {
    Setting plain{s.name, WithArmature(*s.model, 0), s.options, s.inputs},
        geared{s.name, WithArmature(*s.model, 1), s.options, s.inputs};
    const QuantitySet quantities = {kMassMatrix, kInverseDynamics,
                                    kBiasForces, kCoriolisMatrix,
                                    kMomentum,   kJointWrenches};
    const Answers without = Of(plain, quantities),
                  with = Of(geared, quantities);
    VectorXd rotors(s.n());
    for (int i = 0; i < s.n(); ++i) {
      rotors[i] = geared.model->tree().bodies[i].armature;
    }
    const RowMajor M = without.Matrix(Output::kMassMatrix, s.n());
    EXPECT_LT(RelativeError(with.Matrix(Output::kMassMatrix, s.n()),
                            M + RowMajor(rotors.asDiagonal())),
              tolerance());
    EXPECT_LT(RelativeError(
                  with[Output::kTau],
                  without[Output::kTau] + rotors.cwiseProduct(s[Input::kA]), 1),
              tolerance());
    for (const Output output : {Output::kBias, Output::kCoriolisMatrix,
                                Output::kMomentum, Output::kJointWrenches}) {
      EXPECT_EQ(with[output], without[output]) << ToString(output);
    }
  }
}

/// A chain about alternating axes; joints named in `fixed` do not move.
std::shared_ptr<const Model> ChainWith(const std::vector<int>& fixed) {
  ModelBuilder builder("chain");
  builder.AddLink({"base", std::nullopt, 0});
  std::string parent = "base";
  for (int i = 0; i < 6; ++i) {
    LinkDescription link;
    link.name = "link" + std::to_string(i);
    LinkInertial inertial;
    inertial.origin =
        Pose::FromXyzRpy({0.1, -0.05 * i, 0.2}, {0.3, i * 0.2, 1});
    inertial.mass = 1.5 + i;
    inertial.inertia = {0.02, 0.001, -0.002, 0.03, 0.003, 0.025};
    link.inertial = inertial;
    builder.AddLink(link);
    JointDescription joint;
    joint.name = "joint" + std::to_string(i);
    joint.type = JointDescription::Type::kContinuous;
    for (const int f : fixed) {
      if (f == i) joint.type = JointDescription::Type::kFixed;
    }
    joint.parent = parent;
    joint.child = link.name;
    joint.origin = Pose::FromXyzRpy({0.1 * i, 0.2, -0.1}, {0.5, -0.4 * i, 0.7});
    joint.axis = i % 2 == 0 ? std::array<double, 3>{0, 0, 1}
                            : std::array<double, 3>{0, 0.6, 0.8};
    builder.AddJoint(joint);
    parent = link.name;
  }
  LoadResult result = builder.Build();
  EXPECT_TRUE(result.report.ok());
  return result.model;
}

TEST_P(Laws, FixedJointsAreLikeJointsThatStandStill) {
  const auto merged = ChainWith({1, 3, 4, 5}), whole = ChainWith({});
  ASSERT_EQ(merged->nv(), 2);
  Random random(5);
  for (int k = 0; k < 20; ++k) {
    Setting small{"merged", merged, {}, {}}, large{"whole", whole, {}, {}};
    for (const Input input : {Input::kQ, Input::kV, Input::kA}) {
      small[input] = random.Vector(2, -2, 2);
      large[input] = VectorXd::Zero(6);
      large[input][0] = small[input][0];
      large[input][2] = small[input][1];
    }
    small[Input::kTipWrench] = large[Input::kTipWrench] =
        random.Vector(6, -5, 5);
    const QuantitySet quantities = {kInverseDynamics, kMassMatrix, kFramePose};
    const Answers is = Of(small, quantities), expected = Of(large, quantities);
    const VectorXd tau = expected[Output::kTau];
    EXPECT_LT(RelativeError(is[Output::kTau], Eigen::Vector2d(tau[0], tau[2]),
                            tau.norm()),
              tolerance());
    EXPECT_LT(RelativeError(is[Output::kPose], expected[Output::kPose]),
              tolerance());
    const RowMajor M = expected.Matrix(Output::kMassMatrix, 6);
    Eigen::Matrix2d of_two;
    of_two << M(0, 0), M(0, 2), M(2, 0), M(2, 2);
    EXPECT_LT(RelativeError(is.Matrix(Output::kMassMatrix, 2), of_two),
              tolerance());
    // Twin: a locked joint elsewhere is another robot.
    large[Input::kQ][1] = 0.1;
    EXPECT_GT((Of(large, {kFramePose, kInverseDynamics})[Output::kPose] -
               is[Output::kPose])
                  .norm(),
              1e-3);
  }
}

}  // namespace
}  // namespace torqued::testing_support

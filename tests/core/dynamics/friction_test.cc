// Friction in the joints, with and without a step at rest.
#include "core/dynamics/friction-inl.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/dynamics/rnea.h"
#include "core/model/tree.h"
#include "tests/support/complex_step.h"

namespace torqued {
namespace {

using testing_support::ComplexStep;

TreeBody Joint() {
  TreeBody body = {};
  body.viscous_friction = 0.7;
  body.coulomb_friction = 1.9;
  return body;
}

DynamicsTerms Terms(bool viscous, bool coulomb, double smoothing) {
  return {{0, 0, 0}, viscous, coulomb, false, smoothing};
}

TEST(JointFriction, IsOddAndOppositeToMotion) {
  const TreeBody joint = Joint();
  for (const double smoothing : {0.0, 0.05}) {
    const DynamicsTerms terms = Terms(true, true, smoothing);
    EXPECT_EQ(JointFriction(joint, terms, 0.0), 0);
    for (const double v : {1e-9, 0.01, 0.3, 40.0}) {
      EXPECT_GT(JointFriction(joint, terms, v), 0.7 * v);
      EXPECT_EQ(JointFriction(joint, terms, -v),
                -JointFriction(joint, terms, v));
    }
  }
}

TEST(JointFriction, SmoothingIsTheHyperbolicTangent) {
  const TreeBody joint = Joint();
  const DynamicsTerms smooth = Terms(false, true, 0.05),
                      sharp = Terms(false, true, 0);
  for (const double v : {1e-4, 0.02, 0.1}) {
    EXPECT_DOUBLE_EQ(JointFriction(joint, smooth, v),
                     1.9 * std::tanh(v / 0.05));
    EXPECT_EQ(JointFriction(joint, sharp, v), 1.9);
  }
  // Far from rest there is no difference.
  EXPECT_EQ(JointFriction(joint, smooth, 2.0), 1.9);
}

TEST(JointFriction, SlopeIsTheDerivative) {
  const TreeBody joint = Joint();
  for (const double smoothing : {0.0, 0.05}) {
    for (const double v : {-0.2, -0.01, 0.03, 0.4}) {
      const DynamicsTerms terms = Terms(true, true, smoothing);
      EXPECT_NEAR(
          JointFrictionSlope(joint, terms, v),
          JointFriction(joint, terms, ComplexStep::Variable(v)).derivative(),
          1e-14 * 40);
    }
  }
  // The step at rest has none; smoothed it is steepest there.
  EXPECT_EQ(JointFrictionSlope(joint, Terms(true, true, 0), 0.0), 0.7);
  EXPECT_DOUBLE_EQ(JointFrictionSlope(joint, Terms(true, true, 0.05), 0.0),
                   0.7 + 1.9 / 0.05);
}

TEST(JointFriction, WhatIsOffIsNotThere) {
  const TreeBody joint = Joint();
  EXPECT_EQ(JointFriction(joint, Terms(false, false, 0), 2.0), 0);
  EXPECT_EQ(JointFriction(joint, Terms(true, false, 0), 2.0), 1.4);
  EXPECT_EQ(JointFrictionSlope(joint, Terms(false, false, 0), 2.0), 0);
}

}  // namespace
}  // namespace torqued

// Torques as a linear function of inertial parameters.
#include "core/dynamics/regressor-inl.h"

#include <gtest/gtest.h>

#include "tests/core/dynamics/random_cases.h"
#include "tests/support/compare.h"

namespace torqued::testing_support {
namespace {

using Eigen::VectorXd;

const DynamicsTerms kTerms = {{1.5, -2.5, -9}, false, false, false};

RowMajor Regressor(const RandomCase& c) {
  Configured<double> at = At(c.tree(), c.state.q);
  RowMajor Y = RowMajor::Constant(c.n(), kInertialParameters * c.n(), 7);
  TorqueRegressor(c.tree(), kTerms, c.state.v.data(), c.state.a.data(),
                  at.scratch(), Y.data());
  return Y;
}

VectorXd TorquesOf(const RandomCase& c) {
  return Torques(c.tree(), kTerms, c.state.q, c.state.v.data(),
                 c.state.a.data());
}

VectorXd Parameters(const RandomCase& c) {
  VectorXd theta(kInertialParameters * c.n());
  for (int i = 0; i < c.n(); ++i) {
    const TreeBody& b = c.bodies[i];
    theta.segment<10>(10 * i) << b.mass, b.h[0], b.h[1], b.h[2], b.I[0], b.I[1],
        b.I[3], b.I[2], b.I[4], b.I[5];
  }
  return theta;
}

TEST(Regressor, TimesTheParametersIsTheTorque) {
  for (const RandomCase& c : MakeRandomCases()) {
    const VectorXd tau = TorquesOf(c);
    VectorXd theta = Parameters(c);
    EXPECT_LT(RelativeError(Regressor(c) * theta, tau), 1e-13) << c.name;
    // Twin: another last body.
    theta.tail(kInertialParameters) *= 1.1;
    EXPECT_GT(RelativeError(Regressor(c) * theta, tau), 1e-6) << c.name;
  }
}

TEST(Regressor, ColumnsAreTheTorquesOfUnitParameters) {
  for (RandomCase c : MakeRandomCases({.count = 12})) {
    const RowMajor Y = Regressor(c);
    for (TreeBody& b : c.bodies) {
      b.mass = 0;
      for (double& h : b.h) h = 0;
      for (double& I : b.I) I = 0;
    }
    for (int i = 0; i < c.n(); ++i) {
      TreeBody& b = c.bodies[i];
      double* const parameters[] = {&b.mass, b.h,     b.h + 1, b.h + 2,
                                    b.I,     b.I + 1, b.I + 3, b.I + 2,
                                    b.I + 4, b.I + 5};
      for (int k = 0; k < kInertialParameters; ++k) {
        *parameters[k] = 1;
        const VectorXd tau = TorquesOf(c);
        *parameters[k] = 0;
        EXPECT_LT(RelativeError(Y.col(kInertialParameters * i + k), tau, 1),
                  1e-13)
            << c.name << ", body " << i << ", parameter " << k;
      }
    }
  }
}

TEST(Regressor, JointsFeelOnlyTheBodiesThatTheyCarry) {
  int zeros = 0;
  for (const RandomCase& c : MakeRandomCases()) {
    const RowMajor Y = Regressor(c);
    for (int j = 0; j < c.n(); ++j) {
      for (int i = 0; i < c.n(); ++i) {
        int k = i;
        while (k > j) k = c.bodies[k].parent;
        if (k == j) continue;
        EXPECT_EQ(Y.row(j).segment(10 * i, 10).norm(), 0) << c.name;
        ++zeros;
      }
    }
  }
  EXPECT_GT(zeros, 100);
}

}  // namespace
}  // namespace torqued::testing_support

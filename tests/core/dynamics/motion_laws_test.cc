// Laws of motion: poses, Jacobians, velocities, accelerations, momentum.
#include <Eigen/Geometry>
#include <algorithm>

#include "core/lanes/targets.h"
#include "tests/core/dynamics/robots.h"
#include "tests/support/compare.h"

namespace torqued::testing_support {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;
using enum Quantity;

std::vector<Route> Routes() {
  std::vector<Route> routes;
  for (const LaneKernels* kernels : Targets()) {
    for (const Precision precision : {Precision::kDouble, Precision::kSingle}) {
      routes.push_back({kernels, precision});
    }
  }
  return routes;
}

INSTANTIATE_TEST_SUITE_P(
    All, Laws, testing::ValuesIn(Routes()), [](const auto& route) {
      return std::string(route.param.kernels->target) +
             (route.param.precision == Precision::kSingle ? "_single" : "");
    });

/// Calls check(setting) for every robot, its tip in every reference frame.
template <class Check>
void InEveryFrame(const Check& check) {
  for (Setting s : Settings()) {
    for (const ReferenceFrame frame : kReferenceFrames) {
      s.options.reference_frame = frame;
      SCOPED_TRACE(s.name + ", frame " +
                   std::to_string(static_cast<int>(frame)));
      check(s);
    }
  }
}

bool Carries(const Setting& s, int joint, int body) {
  while (body > joint) body = s.model->tree().bodies[body].parent;
  return body == joint;
}

/// ad_V of (ω; v) on the linear part alone.
Vector6d Classical(const VectorXd& V, Vector6d A) {
  const Vector3d w = V.head<3>(), v = V.tail<3>();
  A.tail<3>() += w.cross(v);
  return A;
}

TEST_P(Laws, PosesAreRigid) {
  for (const Setting& s : Settings()) {
    const Matrix3d R = Of(s, {kFramePose}).Matrix(Output::kPose, 3).leftCols(3);
    EXPECT_LT((R.transpose() * R - Matrix3d::Identity()).norm(), tolerance());
    EXPECT_GT(R.determinant(), 0);
  }
}

TEST_P(Laws, FramesMoveByTheJacobian) {
  // V = J v; V̇ = J a + J̇ v, J̇ v = drift; of a wrong reference frame they are
  // something else.
  int others = 0;
  for (Setting s : Settings()) {
    std::vector<RowMajor> jacobians, rates;
    std::vector<VectorXd> velocities;
    for (const ReferenceFrame frame : kReferenceFrames) {
      s.options.reference_frame = frame;
      const Answers is = Of(s, {kJacobian, kJacobianRate, kJacobianDrift,
                                kFrameVelocity, kFrameAcceleration});
      const RowMajor J = is.Matrix(Output::kJacobian, 6),
                     rate = is.Matrix(Output::kJacobianRate, 6);
      const VectorXd drift = is[Output::kJacobianDrift];
      const double size = 1 + drift.norm() + J.norm() * s[Input::kA].norm();
      EXPECT_LT(RelativeError(J * s[Input::kV], is[Output::kFrameVelocity], 1),
                tolerance());
      EXPECT_LT(RelativeError(rate * s[Input::kV], drift, size), tolerance());
      const Output of = frame == ReferenceFrame::kLocalWorldAligned
                            ? Output::kFrameAccelerationClassical
                            : Output::kFrameAcceleration;
      EXPECT_LT(RelativeError(J * s[Input::kA] + drift, is[of], size),
                tolerance())
          << s.name;
      jacobians.push_back(J);
      velocities.push_back(is[Output::kFrameVelocity]);
    }
    for (const int k : {0, 1}) {
      others += RelativeError(jacobians[k] * s[Input::kV], velocities[k + 1],
                              1e-3) > 1e-4;
    }
  }
  EXPECT_GT(others, 60);
}

TEST_P(Laws, ClassicalAccelerationIsThatOfThePoint) {
  bool differs = false;
  InEveryFrame([&](const Setting& s) {
    const Answers is = Of(s, {kFrameVelocity, kFrameAcceleration});
    const VectorXd V = is[Output::kFrameVelocity];
    const Vector6d A = is[Output::kFrameAcceleration],
                   expected = Classical(V, A);
    EXPECT_LT(RelativeError(is[Output::kFrameAccelerationClassical], expected,
                            1 + V.squaredNorm()),
              tolerance());
    differs = differs || (expected - A).norm() > 1e-3;
  });
  EXPECT_TRUE(differs);
}

TEST_P(Laws, JointsThatDoNotCarryTheFrameHaveZeroColumns) {
  int idle = 0;
  InEveryFrame([&](const Setting& s) {
    const Answers is = Of(s, {kJacobian, kJacobianRate});
    const RowMajor J = is.Matrix(Output::kJacobian, 6);
    for (int j = 0; j < s.n(); ++j) {
      const bool carries = Carries(s, j, s.tip().body);
      EXPECT_EQ(J.col(j).norm() != 0, carries) << j;
      if (carries) continue;
      EXPECT_EQ(is.Matrix(Output::kJacobianRate, 6).col(j).norm(), 0);
      ++idle;
    }
  });
  EXPECT_GT(idle, 50);
}

TEST_P(Laws, FramesOnTheBaseStandStill) {
  Setting s = Settings()[0];
  s.options.tip_frame = s.model->frames()[0].name;
  const Answers is = Of(s, {kJacobian, kFrameVelocity, kFrameAcceleration});
  for (const Output output :
       {Output::kJacobian, Output::kFrameVelocity, Output::kFrameAcceleration,
        Output::kFrameAccelerationClassical}) {
    EXPECT_EQ(is[output].norm(), 0);
  }
}

TEST_P(Laws, AbsentInputsMeanZeros) {
  QuantitySet all;
  for (int k = 0; k < kQuantityCount; ++k) {
    if ((kTaskQuantities & Bit(static_cast<Quantity>(k))) == 0) {
      all.Add(static_cast<Quantity>(k));
    }
  }
  for (const Setting& s : Settings()) {
    for (const Input input : {Input::kV, Input::kA}) {
      Setting absent = s;
      absent.inputs.erase(input);
      const Answers is = Of(absent, all),
                    zero = Of(s.With(input, VectorXd::Zero(s.n())), all);
      for (int k = 0; k < kOutputCount; ++k) {
        const auto output = static_cast<Output>(k);
        if (!all.Has(QuantityOf(output))) continue;
        EXPECT_EQ(is[output], zero[output]) << s.name << ToString(output);
      }
    }
  }
}

TEST_P(Laws, MomentumIsItsMatrixTimesTheVelocity) {
  for (const Setting& s : Settings()) {
    const Answers is = Of(s, {kMomentum, kMomentumMatrix, kCenterOfMass});
    const RowMajor A = is.Matrix(Output::kMomentumMatrix, 6);
    const VectorXd h = is[Output::kMomentum];
    EXPECT_LT(RelativeError(A * s[Input::kV], h, 1), tolerance()) << s.name;
    EXPECT_LT(RelativeError(
                  s.model->moving_mass() * is[Output::kCenterOfMassVelocity],
                  h.tail<3>(), 1),
              tolerance());
    // Twin: of the halves swapped.
    EXPECT_GT(RelativeError(A.bottomRows(3) * s[Input::kV], h.head<3>()), 1e-6);
  }
}

}  // namespace
}  // namespace torqued::testing_support

// Laws of motion: poses, Jacobians, velocities, accelerations, momentum.
#include <Eigen/Geometry>
#include <algorithm>

#include "core/engine/evaluation_plan.h"
#include "tests/core/dynamics/robots.h"

namespace torqued::testing_support {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;
using enum Quantity;

std::vector<Route> Routes() {
  std::vector<Route> routes;
  for (const SimdKernels* kernels : Targets()) {
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
      SCOPED_TRACE(testing::Message() << s.name << static_cast<int>(frame));
      check(s);
    }
  }
}

bool Carries(const Setting& s, int joint, int body) {
  while (body > joint) body = s.model->tree().bodies[body].parent;
  return body == joint;
}

TEST_P(Laws, FramesAreRigidAndMoveByTheJacobian) {
  // V = J v; V̇ = J a + J̇ v, J̇ v = drift; of a wrong reference frame they are
  // something else.
  int others = 0, different = 0;
  RowMajor before;
  InEveryFrame([&](const Setting& s) {
    const ReferenceFrame frame = s.options.reference_frame;
    const Answers is = Of(s, {kJacobian, kJacobianRate, kJacobianDrift,
                              kFrameVelocity, kFrameAcceleration, kFramePose});
    const Matrix3d R = is.Matrix(Output::kPose, 3).leftCols(3);
    EXPECT_LT((R.transpose() * R - Matrix3d::Identity()).norm(), tolerance());
    EXPECT_GT(R.determinant(), 0);
    const RowMajor J = is.Matrix(Output::kJacobian, 6),
                   rate = is.Matrix(Output::kJacobianRate, 6);
    const VectorXd drift = is[Output::kJacobianDrift];
    const Vector6d V = is[Output::kFrameVelocity];
    const double size = 1 + drift.norm() + J.norm() * s[Input::kA].norm();
    EXPECT_SAME(J * s[Input::kV], V, 1);
    EXPECT_SAME(rate * s[Input::kV], drift, size);
    const Output of = frame == ReferenceFrame::kLocalWorldAligned
                          ? Output::kFrameAccelerationClassical
                          : Output::kFrameAcceleration;
    EXPECT_SAME(J * s[Input::kA] + drift, is[of], size);
    // Of the frame's origin as a point it is ω × v more.
    const Vector3d turned = V.head<3>().cross(V.tail<3>());
    VectorXd classical = is[Output::kFrameAcceleration];
    classical.tail<3>() += turned;
    EXPECT_SAME(is[Output::kFrameAccelerationClassical], classical,
                1 + V.squaredNorm());
    different += turned.norm() > 1e-3;
    if (frame != kReferenceFrames[0]) {
      others += RelativeError(before * s[Input::kV], V, 1e-3) > 1e-4;
    }
    before = J;
  });
  EXPECT_GT(others, 60);
  EXPECT_GT(different, 0);
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
  ForAll([&](const Setting& s) {
    for (const Input input : {Input::kV, Input::kA}) {
      Setting absent = s;
      absent.inputs.erase(input);
      const Answers is = Of(absent, all),
                    zero = Of(s.With(input, VectorXd::Zero(s.n())), all);
      for (int k = 0; k < kOutputCount; ++k) {
        const auto output = static_cast<Output>(k);
        if (!all.Has(QuantityOf(output))) continue;
        EXPECT_EQ(is[output], zero[output]) << ToString(output);
      }
    }
  });
}

TEST_P(Laws, MomentumIsItsMatrixTimesTheVelocity) {
  ForAll([](const Setting& s) {
    const Answers is = Of(s, {kMomentum, kMomentumMatrix, kCenterOfMass});
    const RowMajor A = is.Matrix(Output::kMomentumMatrix, 6);
    const VectorXd h = is[Output::kMomentum];
    EXPECT_SAME(A * s[Input::kV], h, 1);
    EXPECT_SAME(s.model->moving_mass() * is[Output::kCenterOfMassVelocity],
                h.tail<3>(), 1);
    // Twin: of the halves swapped.
    EXPECT_GT(RelativeError(A.bottomRows(3) * s[Input::kV], h.head<3>()), 1e-6);
  });
}

}  // namespace
}  // namespace torqued::testing_support

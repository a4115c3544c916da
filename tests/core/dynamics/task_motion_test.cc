// Task space of six joints, where motions of the joints and of the tip
// determine each other (Lynch & Park 2017, section 8.6).
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "core/batch/robot.h"
#include "core/dynamics/link_motion-inl.h"
#include "core/model/screws.h"
#include "tests/core/dynamics/random_cases.h"
#include "tests/support/compare.h"
#include "tests/support/load_model.h"

namespace torqued::testing_support {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// A six-axis arm in a regular configuration, a motion V, V̇ of its tip, and the
/// motion of the joints that belongs to it.
struct TaskMotion {
  Robot robot;
  MatrixXd J;
  VectorXd q, v, a, wrench;
  Vector6d V, V_rate;
  double condition;  // of Λ, at most
};

template <class Check>
void ForTaskMotions(const Check& check) {
  const auto model = ShippedModel("ur5e");
  ASSERT_NE(model, nullptr);
  int checked = 0;
  for (const ReferenceFrame reference : kReferenceFrames) {
    Robot::Options options;
    options.reference_frame = reference;
    Random random(21);
    for (int k = 0; k < 20; ++k) {
      TaskMotion m{Robot(model, options), {}, {}, {}, {}, {}, {}, {}, 0};
      const State state = MakeRandomState(*model, random);
      m.q = state.q;
      m.J = m.robot.Jacobian(m.q);
      const double condition = ConditionNumber(m.J);
      if (condition > 100) continue;
      m.condition =
          condition * condition * ConditionNumber(m.robot.MassMatrix(m.q));
      m.wrench = state.wrench;
      m.V = random.Vector(6, -1, 1);
      m.V_rate = random.Vector(6, -1, 1);
      const MatrixXd inverse = m.J.inverse();
      m.v = inverse * m.V;
      m.a = inverse * (m.V_rate - m.robot.JacobianDrift(m.q, m.v));
      check(m);
      ++checked;
    }
  }
  EXPECT_GT(checked, 20);
}

TEST(TaskMotion, JointRatesAndAccelerationsGiveTheTipItsMotion) {
  // q̇ = J⁻¹ V and q̈ = J⁻¹ (V̇ − J̇ q̇), against the outward recursion.
  ForTaskMotions([](TaskMotion& m) {
    const Model& model = m.robot.model();
    const Tree tree = model.tree();
    const BodyFrame& tip = model.frames()[*model.tip_frame()].placement;
    const ReferenceFrame reference = m.robot.options().reference_frame;
    Configured<double> at = At(tree, m.q);
    ComputeBodyMotions(tree, m.v.data(), m.a.data(), at.scratch());
    Vector6d V, V_rate;
    FrameTwist(tree, tip, reference, at.scratch(), V.data());
    FrameAcceleration(tree, tip, reference,
                      reference == ReferenceFrame::kLocalWorldAligned
                          ? AccelerationKind::kClassical
                          : AccelerationKind::kSpatial,
                      at.scratch(), V_rate.data());
    EXPECT_LT(RelativeError(V, m.V), 1e-12);
    EXPECT_LT(RelativeError(V_rate, m.V_rate, m.a.norm()), 1e-12);
  });
}

TEST(TaskMotion, TorqueIsThatOfTheJointMotion) {
  // τ = M (J⁻¹ V̇ − J⁻¹ J̇ J⁻¹ V) + h(q, J⁻¹ V).
  ForTaskMotions([](TaskMotion& m) {
    const VectorXd tau =
        m.robot.MassMatrix(m.q) * m.a + m.robot.BiasForces(m.q, m.v);
    EXPECT_LT(RelativeError(tau, m.robot.InverseDynamics(m.q, m.v, m.a)),
              1e-12);
    // It moves the tip as told.
    const VectorXd a = m.robot.ForwardDynamics(m.q, m.v, tau);
    EXPECT_LT(RelativeError(m.J * a + m.robot.JacobianDrift(m.q, m.v), m.V_rate,
                            m.a.norm()),
              1e-14 * m.condition);
  });
}

TEST(TaskMotion, ForceIsInertiaTimesAccelerationPlusBias) {
  // J⁻ᵀ τ − F_tip = Λ V̇ + η.
  ForTaskMotions([](TaskMotion& m) {
    const VectorXd tau = m.robot.InverseDynamics(m.q, m.v, m.a, m.wrench);
    const auto task = m.robot.OperationalSpace(m.q, m.v);
    const VectorXd force = m.J.transpose().inverse() * tau;
    const double scale = force.norm() + (task.lambda * m.V_rate).norm();
    EXPECT_LT(RelativeError(task.lambda * m.V_rate + task.eta, force - m.wrench,
                            scale),
              1e-14 * m.condition);
    // Twin: the wrench of the other sign.
    EXPECT_GT(RelativeError(task.lambda * m.V_rate + task.eta, force + m.wrench,
                            scale),
              1e-4);
  });
}

TEST(TaskMotion, JointSpaceMatricesMakeInertiaAndBias) {
  // Λ = J⁻ᵀ M J⁻¹ and η = J⁻ᵀ h(q, J⁻¹ V) − Λ J̇ J⁻¹ V.
  ForTaskMotions([](TaskMotion& m) {
    const auto task = m.robot.OperationalSpace(m.q, m.v);
    const MatrixXd inverse = m.J.inverse();
    const MatrixXd lambda =
        inverse.transpose() * m.robot.MassMatrix(m.q) * inverse;
    const VectorXd pull = inverse.transpose() * m.robot.BiasForces(m.q, m.v);
    const VectorXd drift = lambda * m.robot.JacobianDrift(m.q, m.v);
    EXPECT_LT(RelativeError(task.lambda, lambda), 1e-14 * m.condition);
    EXPECT_LT(RelativeError(task.eta, pull - drift, pull.norm() + drift.norm()),
              1e-14 * m.condition);
  });
}

TEST(TaskMotion, TipUnderAWrenchWithoutTorquesObeysTheTaskSpaceEquation) {
  // −F_tip = Λ V̇ + η where no motor pulls.
  ForTaskMotions([](TaskMotion& m) {
    const VectorXd none = VectorXd::Zero(6);
    const VectorXd a = m.robot.ForwardDynamics(m.q, m.v, none, m.wrench);
    const VectorXd V_rate = m.J * a + m.robot.JacobianDrift(m.q, m.v);
    const auto task = m.robot.OperationalSpace(m.q, m.v);
    const VectorXd expected =
        task.lambda.ldlt().solve(VectorXd(-m.wrench - task.eta));
    EXPECT_LT(RelativeError(V_rate, expected, (m.J * a).norm()),
              1e-14 * m.condition);
    const VectorXd other =
        task.lambda.ldlt().solve(VectorXd(m.wrench - task.eta));
    EXPECT_GT(RelativeError(V_rate, other, (m.J * a).norm()), 1e-4);
  });
}

}  // namespace
}  // namespace torqued::testing_support

// Laws of the operational space.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <Eigen/SVD>

#include "core/batch/robot.h"
#include "core/model/model_builder.h"
#include "tests/core/dynamics/every_frame.h"
#include "tests/support/compare.h"
#include "tests/support/load_model.h"
#include "tests/support/random_robot.h"

namespace torqued::testing_support {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// The same model under other options; it must not outlive `robot`.
Robot With(const Robot& robot, const Robot::Options& options) {
  return Robot(
      std::shared_ptr<const Model>(std::shared_ptr<void>(), &robot.model()),
      options);
}

template <class Check>
void ForRandomChains(int dof, const Check& check) {
  const RandomRobotOptions options = {
      .shape = RandomRobotOptions::Shape::kChain, .dof = dof};
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    InEveryFrame(seed + 500, options, seed,
                 [&](Robot& robot, const State& state, ReferenceFrame) {
                   check(robot, state);
                 });
  }
}

TEST(OperationalSpace, LambdaTimesMobilityIsUnit) {
  for (const int dof : {6, 7, 9}) {
    ForRandomChains(dof, [](Robot& robot, const State& s) {
      const MatrixXd J = robot.Jacobian(s.q), M = robot.MassMatrix(s.q);
      const MatrixXd W = J * M.inverse() * J.transpose();
      const auto result = robot.OperationalSpace(s.q, s.v);
      EXPECT_EQ(result.diagnostics.rank, 6);
      EXPECT_LT((result.lambda * W - MatrixXd::Identity(6, 6)).norm(),
                500 * kEpsilon * ConditionNumber(W));
      EXPECT_EQ(result.lambda, result.lambda.transpose());
    });
  }
}

TEST(OperationalSpace, EqualsTheSixAxisFormula) {
  // Λ = J⁻ᵀ M J⁻¹ and η = J⁻ᵀ h − Λ J̇ v where J is square.
  ForRandomChains(6, [](Robot& robot, const State& s) {
    const MatrixXd J = robot.Jacobian(s.q), M = robot.MassMatrix(s.q);
    const MatrixXd Ji = J.inverse();
    const MatrixXd lambda = Ji.transpose() * M * Ji;
    const VectorXd drift = robot.JacobianDrift(s.q, s.v);
    const VectorXd force = Ji.transpose() * robot.BiasForces(s.q, s.v);
    const VectorXd inertial = lambda * drift;
    const auto result = robot.OperationalSpace(s.q, s.v);
    const double bound = 100 * kEpsilon * ConditionNumber(J) *
                         ConditionNumber(J) * ConditionNumber(M);
    EXPECT_LT(RelativeError(result.lambda, lambda), bound);
    EXPECT_LT(RelativeError(result.eta, force - inertial,
                            std::max(force.norm(), inertial.norm())),
              bound);
  });
}

TEST(OperationalSpace, TorqueForATaskAccelerationProducesIt) {
  // τ = Jᵀ(Λ a* + η) + (1 − Jᵀ J̄ᵀ) τ₀ moves the task with a* for any τ₀.
  ForRandomChains(7, [](Robot& robot, const State& s) {
    Random random(77);
    const VectorXd wanted = random.Vector(6, -1, 1),
                   any = random.Vector(7, -1, 1);
    const MatrixXd J = robot.Jacobian(s.q), M = robot.MassMatrix(s.q);
    const auto task = robot.OperationalSpace(s.q, s.v);
    const MatrixXd Jbar = M.inverse() * J.transpose() * task.lambda;
    const VectorXd tau =
        J.transpose() * (task.lambda * wanted + task.eta) +
        (MatrixXd::Identity(7, 7) - J.transpose() * Jbar.transpose()) * any;
    const VectorXd a = robot.ForwardDynamics(s.q, s.v, tau);
    const VectorXd got = J * a + robot.JacobianDrift(s.q, s.v);
    const double bound =
        1e-13 * ConditionNumber(J) * ConditionNumber(J) * ConditionNumber(M);
    EXPECT_LT(RelativeError(got, wanted, (J * a).norm()), bound);
  });
}

TEST(OperationalSpace, SmallestSingularValueIsThatOfTheScaledJacobian) {
  ForRandomChains(7, [](Robot& robot, const State& s) {
    Robot::Options options = robot.options();
    options.task.characteristic_length = 0.25;
    options.sigma_min = true;
    MatrixXd J = robot.Jacobian(s.q);
    Robot again = With(robot, options);
    J.bottomRows(3) /= 0.25;
    const double expected = Eigen::JacobiSVD<MatrixXd>(J).singularValues()[5];
    EXPECT_NEAR(again.OperationalSpace(s.q, s.v).diagnostics.sigma_min,
                expected, 1e-13 * J.norm());
  });
}

TEST(OperationalSpace, SubTaskUsesItsRowsInTheOrderGiven) {
  ForRandomChains(7, [](Robot& robot, const State& s) {
    Robot::Options options = robot.options();
    options.task.axes = {5, 0, 3};
    options.task.axis_count = 3;
    Robot sub = With(robot, options);
    const MatrixXd J = robot.Jacobian(s.q), M = robot.MassMatrix(s.q);
    MatrixXd rows(3, 7);
    rows << J.row(5), J.row(0), J.row(3);
    const VectorXd drift = robot.JacobianDrift(s.q, s.v);
    const MatrixXd W = rows * M.inverse() * rows.transpose();
    const VectorXd r = rows * M.inverse() * robot.BiasForces(s.q, s.v) -
                       Eigen::Vector3d(drift[5], drift[0], drift[3]);
    const auto result = sub.OperationalSpace(s.q, s.v);
    const double bound = 1e-12 * ConditionNumber(W) * ConditionNumber(M);
    EXPECT_LT(RelativeError(result.lambda, W.inverse()), bound);
    EXPECT_LT(RelativeError(result.eta, W.inverse() * r,
                            W.inverse().norm() * r.norm()),
              bound);
  });
}

TEST(OperationalSpace, TooFewJointsGiveTheRangeRestrictedInertia) {
  // rank J = n < 6: Jᵀ Λ_r J = M, Λ_r is symmetric and of rank n.
  ForRandomChains(4, [](Robot& robot, const State& s) {
    const auto result = robot.OperationalSpace(s.q, s.v);
    const MatrixXd J = robot.Jacobian(s.q), M = robot.MassMatrix(s.q);
    ASSERT_EQ(result.diagnostics.rank, 4);
    EXPECT_EQ(result.diagnostics.rule, TaskRule::kRangeRestricted);
    const double bound =
        1e-13 * ConditionNumber(J) * ConditionNumber(J) * ConditionNumber(M);
    EXPECT_LT(RelativeError(J.transpose() * result.lambda * J, M), bound);
    EXPECT_EQ(result.lambda, result.lambda.transpose());
    const VectorXd sigma =
        Eigen::JacobiSVD<MatrixXd>(result.lambda).singularValues();
    EXPECT_LT(sigma[4], 1e-9 * sigma[0]);
  });
}

TEST(OperationalSpace, RangeRestrictedInertiaDoesNotDependOnTheLength) {
  // The length decides the rank; range(J) is what it is.
  ForRandomChains(4, [](Robot& robot, const State& s) {
    Robot::Options options = robot.options();
    options.task.characteristic_length = 0.2;
    Robot scaled = With(robot, options);
    const MatrixXd J = robot.Jacobian(s.q), M = robot.MassMatrix(s.q);
    const double bound =
        1e-13 * ConditionNumber(J) * ConditionNumber(J) * ConditionNumber(M);
    EXPECT_LT(RelativeError(scaled.OperationalSpace(s.q, s.v).lambda,
                            robot.OperationalSpace(s.q, s.v).lambda),
              bound);
  });
}

TEST(OperationalSpace, DampingDoesNotTouchFullRankRows) {
  ForRandomChains(7, [](Robot& robot, const State& s) {
    Robot::Options options = robot.options();
    options.task.singularity = SingularityRule::kDamped;
    options.task.damping = 0.5;
    Robot damped = With(robot, options);
    const auto a = robot.OperationalSpace(s.q, s.v),
               b = damped.OperationalSpace(s.q, s.v);
    EXPECT_EQ(a.lambda, b.lambda);
    EXPECT_EQ(a.eta, b.eta);
    EXPECT_EQ(b.diagnostics.rule, TaskRule::kFullRank);
  });
}

TEST(OperationalSpace, RankToleranceDecides) {
  ForRandomChains(6, [](Robot& robot, const State& s) {
    Robot::Options options = robot.options();
    // Of the norm of the Jacobian.
    const VectorXd sigma =
        Eigen::JacobiSVD<MatrixXd>(robot.Jacobian(s.q)).singularValues();
    options.task.rank_tolerance = std::sqrt(sigma[2] * sigma[3]) / sigma.norm();
    Robot strict = With(robot, options);
    EXPECT_EQ(strict.OperationalSpace(s.q, s.v).diagnostics.rank, 3);
    EXPECT_EQ(robot.OperationalSpace(s.q, s.v).diagnostics.rank, 6);
  });
}

TEST(OperationalSpace, ToleranceOfZeroTakesNoRoundOffForRank) {
  ForRandomChains(3, [](Robot& robot, const State& s) {
    Robot::Options options = robot.options();
    options.task.rank_tolerance = 0;
    Robot exact = With(robot, options);
    const auto result = exact.OperationalSpace(s.q, s.v);
    EXPECT_LE(result.diagnostics.rank, 3);
    EXPECT_EQ(result.diagnostics.rule, TaskRule::kRangeRestricted);
    EXPECT_LT(
        RelativeError(result.lambda, robot.OperationalSpace(s.q, s.v).lambda),
        1e-6);
  });
}

TEST(OperationalSpace, InertiaLostInRoundOffIsReportedNotReturned) {
  // A wrist so nearly aligned that W keeps no digit of the lost direction,
  // and a tolerance that lets J pass as regular.
  const auto model = LoadModel(ReadFile(TORQUED_MODELS "/ur5e.urdf"));
  ASSERT_NE(model, nullptr);
  Robot::Options options;
  options.task.rank_tolerance = 1e-12;
  Robot robot(model, options);
  VectorXd q(6);
  q << 0.1, -1.2, 1.5, -0.4, 1e-10, 0;
  const auto result = robot.OperationalSpace(q, VectorXd::Zero(6));
  EXPECT_EQ(result.diagnostics.rule, TaskRule::kRangeRestricted);
  EXPECT_EQ(result.diagnostics.rank, 5);
  EXPECT_LT(result.lambda.norm(), 1e6);
  EXPECT_NE(robot.last_error(), "");
}

TEST(OperationalSpace, VanishingPivotNamesItsJointAndNotItsAncestors) {
  // j3 carries a point mass along y through the axis of j2 (x): at q3 = 0 the
  // mass lies on that axis and j2 moves nothing; j1 still does.
  ModelBuilder builder("pivots");
  LinkInertial point;
  point.mass = 1;
  LinkInertial arm;
  arm.mass = 1;
  arm.inertia = {1, 0, 0, 1, 0, 1};
  builder.AddLink({"base", std::nullopt, 0});
  builder.AddLink({"l1", arm, 0});
  builder.AddLink({"l2", std::nullopt, 0});
  builder.AddLink({"l3", point, 0});
  const std::array<double, 3> axes[] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
  for (int i = 0; i < 3; ++i) {
    JointDescription joint;
    joint.name = "j" + std::to_string(i + 1);
    joint.type = i == 2 ? JointDescription::Type::kPrismatic
                        : JointDescription::Type::kContinuous;
    joint.parent = i == 0 ? "base" : "l" + std::to_string(i);
    joint.child = "l" + std::to_string(i + 1);
    joint.axis = axes[i];
    builder.AddJoint(joint);
  }
  const auto model = builder.Build().model;
  ASSERT_NE(model, nullptr);
  Robot robot(model);
  const VectorXd q = VectorXd::Zero(3), ones = VectorXd::Ones(3);
  EXPECT_TRUE(robot.ForwardDynamics(q, ones, ones).array().isNaN().all());
  EXPECT_NE(robot.last_error().find("'j2'"), std::string::npos)
      << robot.last_error();
  // Twin: away from the axis it moves mass.
  const VectorXd away = Eigen::Vector3d(0, 0, 0.5);
  EXPECT_FALSE(robot.ForwardDynamics(away, ones, ones).array().isNaN().any());
}

/// Two revolute joints whose axes may coincide; the body between them may have
/// no mass.
std::shared_ptr<const Model> TwoAxes(double offset) {
  ModelBuilder builder("two_axes");
  builder.AddLink({"base", std::nullopt, 0});
  builder.AddLink({"between", std::nullopt, 0});
  LinkInertial inertial;
  inertial.origin.p = {0.3, 0, 0};
  inertial.mass = 2;
  inertial.inertia = {0.01, 0, 0, 0.02, 0, 0.03};
  builder.AddLink({"body", inertial, 0});
  JointDescription first;
  first.name = "first";
  first.type = JointDescription::Type::kContinuous;
  first.parent = "base";
  first.child = "between";
  first.axis = {0, 0, 1};
  builder.AddJoint(first);
  JointDescription second = first;
  second.name = "second";
  second.parent = "between";
  second.child = "body";
  second.origin.p = {offset, 0, 0};
  builder.AddJoint(second);
  return builder.Build().model;
}

TEST(OperationalSpace, MasslessJointIsNamedInsteadOfDividedBy) {
  // With coinciding axes and nothing between them, one dof moves no mass.
  const auto model = TwoAxes(0);
  ASSERT_NE(model, nullptr);
  Robot robot(model);
  const VectorXd q = Eigen::Vector2d(0.3, 0.7), v = Eigen::Vector2d(1, 2);
  const VectorXd a = robot.ForwardDynamics(q, v, v);
  EXPECT_TRUE(a.array().isNaN().all());
  EXPECT_NE(robot.last_error().find("moves no mass"), std::string::npos)
      << robot.last_error();
  const auto task = robot.OperationalSpace(q, v);
  EXPECT_TRUE(task.lambda.array().isNaN().all());
  EXPECT_EQ(task.diagnostics.rule, TaskRule::kUndefined);
  // Twin: apart, the same bodies are fine, and inverse dynamics always was.
  EXPECT_FALSE(robot.InverseDynamics(q, v, v).array().isNaN().any());
  Robot apart(TwoAxes(0.2));
  EXPECT_FALSE(apart.ForwardDynamics(q, v, v).array().isNaN().any());
  EXPECT_EQ(apart.last_error(), "");
}

}  // namespace
}  // namespace torqued::testing_support

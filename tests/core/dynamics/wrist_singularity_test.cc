// A six-axis arm on its way through the singularity of its wrist, as
// docs/quantities.md describes it.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <Eigen/SVD>
#include <cmath>

#include "core/engine/robot.h"
#include "tests/support/load_model.h"

namespace torqued {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kWide = 1e-2;

class WristSingularity : public testing::Test {
 protected:
  Robot With(double tolerance, double damping = 0) const {
    Robot::Options options;
    options.task.rank_tolerance = tolerance;
    options.sigma_min = true;
    options.task.damping = damping;
    if (damping > 0) options.task.singularity = SingularityRule::kDamped;
    return Robot(model_, options);
  }

  /// At the angle of wrist_2, at 0 of which the axes of wrist_1 and wrist_3 are
  /// parallel.
  static VectorXd At(double angle) {
    return VectorXd{{0.1, -1.2, 1.5, -0.4, angle, 0.3}};
  }
  static Robot::OperationalSpaceResult At(Robot& robot, double angle) {
    return robot.OperationalSpace(At(angle), VectorXd::Zero(6));
  }

  /// Calls for 8 angles in each decade from 1e-8 to 1.
  template <class Check>
  void Sweep(const Check& check) const {
    for (int k = -64; k <= 0; ++k) check(std::pow(10, k / 8.0));
  }

  std::shared_ptr<const Model> model_ = testing_support::ShippedModel("ur5e");
};

TEST_F(WristSingularity, RankDropsWhereTheToleranceSays) {
  for (const double tolerance : {1e-6, 1e-4, kWide}) {
    Robot robot = With(tolerance);
    int dropped = 0;
    Sweep([&](double angle) {
      const VectorXd sigma =
          Eigen::JacobiSVD<MatrixXd>(robot.Jacobian(At(angle)))
              .singularValues();
      const auto diagnostics = At(robot, angle).diagnostics;
      const bool full = sigma[5] > tolerance * sigma.norm();
      EXPECT_EQ(diagnostics.rank, full ? 6 : 5) << angle;
      EXPECT_EQ(diagnostics.rule,
                full ? TaskRule::kFullRank : TaskRule::kRangeRestricted);
      EXPECT_EQ(robot.last_error().empty(), full);
      EXPECT_NEAR(diagnostics.sigma_min, sigma[5], 1e-14);
      dropped += full ? 0 : 1;
    });
    EXPECT_GT(dropped, 5);
    EXPECT_LT(dropped, 60);
  }
}

TEST_F(WristSingularity, ExactInertiaGrowsWithTheSquareOfTheDistance) {
  Robot robot = With(1e-6);
  const auto largest = [&](double angle) {
    return At(robot, angle).lambda.cwiseAbs().maxCoeff();
  };
  EXPECT_NEAR(largest(1e-4) / largest(1e-3), 100, 0.1);
  EXPECT_NEAR(largest(1e-5) / largest(1e-4), 100, 0.1);
}

TEST_F(WristSingularity, RestrictedInertiaStaysFiniteAndSettles) {
  Robot robot = With(kWide);
  const MatrixXd limit = At(robot, 0).lambda;
  EXPECT_TRUE(limit.allFinite());
  Sweep([&](double angle) {
    const auto result = At(robot, angle);
    ASSERT_TRUE(result.lambda.allFinite());
    if (result.diagnostics.rank == 5) {
      EXPECT_LT(result.lambda.cwiseAbs().maxCoeff(), 5);
      EXPECT_LT((result.lambda - limit).norm(), 100 * angle) << angle;
    }
  });
}

TEST_F(WristSingularity, DampedInertiaIsBoundedAndBiasedByTheSquareOfMu) {
  // Λ_μ is at most 1/μ², and Λ − Λ_μ = μ² Λ_μ Λ.
  Robot exact = With(1e-6);
  for (const double mu : {0.1, 0.01, 0.001}) {
    Robot damped = With(kWide, mu);
    Sweep([&](double angle) {
      const auto result = At(damped, angle);
      EXPECT_LE(result.lambda.norm(), std::sqrt(6) / (mu * mu));
      if (angle < 1e-4) return;
      const MatrixXd lambda = At(exact, angle).lambda;
      if (result.diagnostics.rank == 6) {
        EXPECT_LT((result.lambda - lambda).norm(), 1e-12 * lambda.norm());
        return;
      }
      EXPECT_EQ(result.diagnostics.rule, TaskRule::kDamped);
      const MatrixXd bias = mu * mu * result.lambda * lambda;
      EXPECT_LT((lambda - result.lambda - bias).norm(), 1e-6 * lambda.norm())
          << angle;
    });
  }
}

TEST_F(WristSingularity, InertiaLostInRoundOffIsReportedNotReturned) {
  // So nearly aligned that W keeps no digit of the lost direction, and a
  // tolerance that lets J pass as regular.
  Robot robot = With(1e-12);
  const auto result = At(robot, 1e-10);
  EXPECT_EQ(result.diagnostics.rule, TaskRule::kRangeRestricted);
  EXPECT_EQ(result.diagnostics.rank, 5);
  EXPECT_LT(result.lambda.norm(), 1e6);
  EXPECT_NE(robot.last_error(), "");
}

}  // namespace
}  // namespace torqued

// Arms by products of exponentials.
#include "core/formats/screw_axes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "core/engine/robot.h"
#include "tests/support/compare.h"
#include "tests/support/random_robot.h"
#include "tests/support/screw_arm.h"

namespace torqued {
namespace {

using enum LintCode;
using Eigen::Matrix3d;
using Eigen::Matrix4d;
using Eigen::Vector3d;
using Eigen::VectorXd;
using testing::HasSubstr;
using testing_support::LoadScrewArm;
using testing_support::Random;
using testing_support::RelativeError;
using testing_support::ScrewArm;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Matrix4d RandomPose(Random& random) {
  Matrix4d T = Matrix4d::Identity();
  T.topLeftCorner<3, 3>() = random.Rotation();
  T.topRightCorner<3, 1>() = random.Vector(3, -0.5, 0.5);
  return T;
}

/// Every third joint slides; no axis passes through the origin of its link
/// frame, which is not the centre of mass either.
ScrewArm RandomArm(int joints, std::uint64_t seed) {
  Random random(seed);
  ScrewArm arm;
  for (int i = 0; i < joints; ++i) {
    const Vector3d s = random.UnitVector();
    arm.home.push_back(RandomPose(random));
    arm.screws.push_back(i % 3 == 1
                             ? ScrewAlong(s)
                             : ScrewAbout(s, random.Vector(3, -0.5, 0.5)));
    const Matrix3d R = random.Rotation();
    arm.inertias.push_back(SpatialInertiaMatrix(
        random.Uniform(0.5, 3), random.Vector(3, -0.3, 0.3),
        R * Vector3d(0.03, 0.04, 0.05).asDiagonal() * R.transpose()));
  }
  arm.home.push_back(RandomPose(random));
  return arm;
}

std::shared_ptr<const Model> Load(const ScrewArm& arm) {
  const LoadResult result = LoadScrewArm(arm);
  for (const Finding& finding : result.report.findings()) {
    ADD_FAILURE() << finding.message;
  }
  return result.model;
}

TEST(ScrewAxes, LinksAndTipStandWhereTheExponentialsPutThem) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const ScrewArm arm = RandomArm(6, seed);
    const auto model = Load(arm);
    ASSERT_NE(model, nullptr);
    const auto home = HomePoses(arm.home);
    Random random(seed + 100);
    const VectorXd q = random.Vector(6, -3, 3);
    for (std::size_t i = 0; i <= 6; ++i) {
      Robot::Options options;
      options.tip_frame = i == 6 ? "tip" : "link" + std::to_string(i + 1);
      Robot robot(model, options);
      const std::size_t carriers = std::min<std::size_t>(i + 1, 6);
      const Matrix4d expected = ProductOfExponentials(
          std::span(arm.screws).first(carriers), home[i], q);
      EXPECT_LT((robot.FramePose(q) - expected).cwiseAbs().maxCoeff(), 1e-14)
          << options.tip_frame << " of seed " << seed;
    }
  }
}

TEST(ScrewAxes, TorquesAreThoseOfTheGivenLinkFrames) {
  // The stacked equations with A_i, G_i and link frames as given, which the
  // model does not have: its own frames are at the joints.
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    constexpr int kJoints = 6;
    const ScrewArm arm = RandomArm(kJoints, seed);
    const auto model = Load(arm);
    ASSERT_NE(model, nullptr);
    Random random(seed + 200);
    const VectorXd q = random.Vector(kJoints, -3, 3),
                   v = random.Vector(kJoints, -2, 2),
                   a = random.Vector(kJoints, -2, 2);
    const Vector6d wrench = random.Vector(6, -5, 5);
    const auto A = LinkScrews(HomePoses(arm.home), arm.screws);
    std::vector<Matrix6d> X;  // Ad_{T_{i,i-1}}
    std::vector<Vector6d> V, rates;
    Vector6d V_before = Vector6d::Zero(), rate_before = V_before;
    rate_before[5] = 9.81;
    for (int i = 0; i < kJoints; ++i) {
      X.push_back(Adjoint(InversePose(RelativePose(arm.home[i], A[i], q[i]))));
      V_before = X[i] * V_before + A[i] * v[i];
      rate_before = X[i] * rate_before +
                    LieBracketMatrix(V_before) * A[i] * v[i] + A[i] * a[i];
      V.push_back(V_before);
      rates.push_back(rate_before);
    }
    VectorXd tau(kJoints);
    Vector6d F = Adjoint(InversePose(arm.home[kJoints])).transpose() * wrench;
    for (int i = kJoints - 1; i >= 0; --i) {
      const Matrix6d& G = arm.inertias[i];
      F += G * rates[i] - LieBracketMatrix(V[i]).transpose() * G * V[i];
      tau[i] = A[i].dot(F);
      F = X[i].transpose() * F;
    }
    Robot robot(model);
    EXPECT_LT(RelativeError(robot.InverseDynamics(q, v, a, wrench), tau),
              1e-13);
    EXPECT_GT(RelativeError(robot.InverseDynamics(q, v, a), tau), 1e-3);
  }
}

TEST(ScrewAxes, LengthsAndRoundingOfScrewsChangeNothing) {
  ScrewArm arm = RandomArm(2, 1);
  arm.screws[1] << 0, 0, 0, 0, 0, 1;
  const auto mass_matrix = [](const std::shared_ptr<const Model>& model) {
    return Robot(model).MassMatrix(Eigen::Vector2d(0.3, 0.2));
  };
  const auto expected = mass_matrix(Load(arm));
  arm.screws[1][0] = 1e-17;
  const auto rounded = Load(arm);
  EXPECT_EQ(rounded->joints()[1].type, JointType::kPrismatic);
  EXPECT_LT((mass_matrix(rounded) - expected).norm(), 1e-14);
  arm.screws[0] *= 2;
  const LoadResult twice = LoadScrewArm(arm);
  ASSERT_NE(twice.model, nullptr);
  ASSERT_EQ(twice.report.findings().size(), 1u);
  EXPECT_EQ(twice.report.findings()[0].code, kNonUnitAxis);
  EXPECT_EQ(twice.report.findings()[0].joint, "joint1");
  EXPECT_LT((mass_matrix(twice.model) - expected).norm(), 1e-14);
  // Seven decimals have no pitch.
  arm = RandomArm(3, 2);
  for (Vector6d& S : arm.screws) {
    for (double& x : S) x = std::round(x * 1e7) / 1e7;
  }
  EXPECT_NE(LoadScrewArm(arm).model, nullptr);
}

TEST(ScrewAxesErrors, NameTheJointOrTheLink) {
  const auto inertia = [](int row, int column, double change) {
    return [=](ScrewArm& arm) { arm.inertias[1](row, column) += change; };
  };
  const struct {
    LintCode code;
    std::string_view about;  // joint/link
    const char* message;     // part of it
    std::function<void(ScrewArm&)> spoil;
  } cases[] = {
      {kUnsupportedJoint, "joint2/", "pitch 0.0001 m/rad",
       [](auto& arm) {
         arm.screws[1] = ScrewAbout({0, 0, 1}, {1, 2, 3}, 1e-4);
       }},
      {kZeroAxis, "joint1/", "", [](auto& arm) { arm.screws[0].setZero(); }},
      {kMissingElement, "/", "has 2 spatial inertias, not 1",
       [](auto& arm) { arm.inertias.pop_back(); }},
      {kMissingElement, "/", "has 3 home poses",
       [](auto& arm) { arm.home.pop_back(); }},
      {kMissingElement, "/", "has 1 home poses", [](auto& arm) { arm = {}; }},
      {kInvalidPose, "/tip", "", [](auto& arm) { arm.home[2](0, 0) += 0.1; }},
      {kInvalidNumber, "/link2", "",
       [](auto& arm) { arm.home[1](1, 3) = kNaN; }},
      {kInvalidInertia, "/link2", "", inertia(0, 1, 0.01)},  // I, one side
      {kInvalidInertia, "/link2", "", inertia(3, 3, 0.01)},  // m, unequal
      {kInvalidInertia, "/link2", "", inertia(3, 4, 0.01)},  // m, coupled
      {kInvalidInertia, "/link2", "", inertia(0, 3, 0.01)},  // [h], diagonal
      {kInvalidInertia, "/link2", "", inertia(0, 4, 0.01)},  // [h], one side
      {kInvalidInertia, "/link2", "", inertia(5, 0, 0.01)},  // [h]ᵀ
      {kInvalidNumber, "/link2", "", inertia(2, 2, kNaN)},
      {kInvalidInertia, "/link2", "",  // h without m
       [](ScrewArm& arm) {
         arm.inertias[1].setZero();
         arm.inertias[1].topRightCorner<3, 3>() = Skew({0, 0, 1});
         arm.inertias[1].bottomLeftCorner<3, 3>() = -Skew({0, 0, 1});
       }},
      // About the centre of mass it is too small, though not about the frame.
      {kNegativeInertia, "/link1", "",
       [](auto& arm) {
         arm.inertias[0] =
             SpatialInertiaMatrix(1, {1, 0, 0}, -0.5 * Matrix3d::Identity());
       }},
  };
  for (const auto& is : cases) {
    ScrewArm arm = RandomArm(2, 6);
    is.spoil(arm);
    const LoadResult result = LoadScrewArm(arm);
    EXPECT_EQ(result.model, nullptr);
    ASSERT_EQ(result.report.errors(), 1) << ToString(is.code);
    const Finding& finding = result.report.findings()[0];
    EXPECT_EQ(finding.code, is.code) << finding.message;
    EXPECT_EQ(finding.joint + "/" + finding.link, is.about) << finding.message;
    EXPECT_THAT(finding.message, HasSubstr(is.message));
  }
}

TEST(ScrewAxesErrors, AllAreReported) {
  ScrewArm arm = RandomArm(3, 8);
  arm.home[0].setZero();
  arm.screws[1].setConstant(kNaN);
  arm.inertias[2].setOnes();
  EXPECT_EQ(LoadScrewArm(arm).report.errors(), 3);
}

}  // namespace
}  // namespace torqued

// Our results against golden vectors of published robots, computed by
// Pinocchio 3.7. They are not part of the repository: see TORQUED_SHARED_DIR.
//
// Errors are relative to the largest entry of a result, or to what the table
// says. The bounds are below ten times the largest error seen.

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "core/engine/evaluation_plan.h"
#include "tests/core/dynamics/robots.h"
#include "tests/oracles/golden_data.h"
#include "tests/support/compare.h"

namespace torqued::testing_support {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using enum ReferenceFrame;
using enum Output;

/// What an error is relative to.
enum class Per {
  kResult,           // the largest entry
  kMassMatrix,       // the same, or the largest entry of M if that is larger
  kJacobian,         // its norm
  kWeight,           // the potential energy of all mass a metre up
  kConditionOfMass,  // the largest entry, times the condition number of M
  kConditionOfTask,  // the largest entry, times that of J M⁻¹ Jᵀ
};

struct Quantity {
  /// Of the data. Those with "wrench" in their name have a tip wrench, those
  /// with "drift" no acceleration of the joints.
  std::string_view field;
  Output output;
  ReferenceFrame frame;
  double bound;
  Per per = Per::kResult;
};

/// Comes with Λ.
constexpr std::string_view kSigmaMin = "J_sigma_min";

constexpr Quantity kFixedBase[] = {
    {"tau_id", kTau, kLocal, 6e-15},
    {"tau_id_wrench_local", kTau, kLocal, 6e-15},
    {"tau_id_wrench_lwa", kTau, kLocalWorldAligned, 6e-15},
    {"nle", kBias, kLocal, 6e-15},
    {"gravity_torque", kGravity, kLocal, 6e-15},
    {"M", kMassMatrix, kLocal, 8e-15},
    {"C", kCoriolisMatrix, kLocal, 1e-14},
    {"qdd_fd", kAcceleration, kLocal, 5e-16, Per::kConditionOfMass},
    {"qdd_fd_wrench_local", kAcceleration, kLocal, 5e-16,
     Per::kConditionOfMass},
    {"kinetic_energy", kKineticEnergy, kLocal, 5e-15},
    {"potential_energy", kPotentialEnergy, kLocal, 1e-15, Per::kWeight},
    {"com", kCenterOfMass, kLocal, 5e-15},
    {"com_velocity", kCenterOfMassVelocity, kLocal, 1e-14},
    {"dtau_dq", kTauByQ, kLocal, 1e-14, Per::kMassMatrix},
    {"dtau_dv", kTauByV, kLocal, 1e-14, Per::kMassMatrix},
    {"ddq_dq", kAccelerationByQ, kLocal, 1e-15, Per::kConditionOfMass},
    {"ddq_dv", kAccelerationByV, kLocal, 1e-15, Per::kConditionOfMass},
    {"ddq_dtau", kAccelerationByTau, kLocal, 1e-15, Per::kConditionOfMass},
    {"regressor", kRegressor, kLocal, 5e-15},
    {"Lambda", kLambda, kLocal, 1e-16, Per::kConditionOfTask},
    {"eta", kEta, kLocal, 1e-16, Per::kConditionOfTask},
    {kSigmaMin, kLambda, kLocal, 8e-16, Per::kJacobian},
    {"tip_pose", kPose, kLocal, 4e-15},
    {"J_local", kJacobian, kLocal, 6e-15},
    {"J_lwa", kJacobian, kLocalWorldAligned, 6e-15},
    {"J_world", kJacobian, kWorld, 6e-15},
    {"Jdot_v_local", kJacobianDrift, kLocal, 9e-15},
    {"Jdot_v_lwa", kJacobianDrift, kLocalWorldAligned, 9e-15},
    {"Jdot_v_world", kJacobianDrift, kWorld, 9e-15},
    {"dJ_local", kJacobianRate, kLocal, 1e-14},
    {"dJ_lwa", kJacobianRate, kLocalWorldAligned, 1e-14},
    {"dJ_world", kJacobianRate, kWorld, 1e-14},
    {"tip_twist_local", kFrameVelocity, kLocal, 1e-14},
    {"tip_twist_lwa", kFrameVelocity, kLocalWorldAligned, 1e-14},
    {"tip_twist_world", kFrameVelocity, kWorld, 1e-14},
    {"tip_acc_spatial_local", kFrameAcceleration, kLocal, 1e-14},
    {"tip_acc_spatial_lwa", kFrameAcceleration, kLocalWorldAligned, 1e-14},
    {"tip_acc_spatial_world", kFrameAcceleration, kWorld, 1e-14},
    {"tip_acc_classical_local", kFrameAccelerationClassical, kLocal, 1e-14},
    {"tip_acc_classical_lwa", kFrameAccelerationClassical, kLocalWorldAligned,
     1e-14},
    {"drift_spatial_lwa", kFrameAcceleration, kLocalWorldAligned, 1e-14},
    {"drift_classical_local", kFrameAccelerationClassical, kLocal, 1e-14}};

/// A base that floats in the data moves as told here, so that M and what is
/// solved with it are others; the torques of `tau_id` give `a`.
constexpr Quantity kMovingBase[] = {
    {"tau_id", kTau, kLocal, 4e-15},
    {"a", kAcceleration, kLocal, 1e-13},
    {"regressor", kRegressor, kLocal, 4e-15},
    {"tip_twist_local", kFrameVelocity, kLocal, 2e-15},
    {"tip_acc_spatial_local", kFrameAcceleration, kLocal, 1e-15},
    {"tip_acc_classical_local", kFrameAccelerationClassical, kLocal, 4e-15}};

/// A robot of the data.
class GoldenRobot {
 public:
  explicit GoldenRobot(const nlohmann::json& data)
      : data_(data),
        base_(data.at("base") == "free_flyer" ? 6 : 0),
        model_(LoadModel(ReadShared(data.at("urdf")), data.at("tip_frame"))) {}

  void CompareAll() const {
    ASSERT_NE(model_, nullptr);
    CompareJoints();
    const auto quantities =
        base_ == 0 ? std::span<const Quantity>(kFixedBase) : kMovingBase;
    for (const Quantity& quantity : quantities) Compare(quantity);
  }

 private:
  void CompareJoints() const {
    const std::size_t skipped = base_ > 0 ? 1 : 0;
    const auto& joints = data_.at("joints");
    ASSERT_EQ(model_->joints().size() + skipped, joints.size());
    for (std::size_t i = 0; i < model_->joints().size(); ++i) {
      const Joint& ours = model_->joints()[i];
      const auto& theirs = joints[i + skipped];
      EXPECT_EQ(ours.name, theirs.at("name").get<std::string>());
      EXPECT_EQ(ours.limits.lower, theirs.at("lower").get<double>());
      EXPECT_EQ(ours.limits.upper, theirs.at("upper").get<double>());
    }
  }

  void Compare(const Quantity& quantity) const {
    const std::string field(quantity.field);
    LargestErrors errors;
    int k = 0, compared = 0;
    for (const auto& sample : data_.at("samples")) {
      const std::string where = "sample " + std::to_string(k++);
      if (sample.at(field).is_null()) continue;
      ++compared;
      errors.Add(field, Error(quantity, sample), where);
    }
    // Λ is there for tasks of full rank alone.
    if (compared > 0) errors.ExpectBelow(field, quantity.bound);
  }

  VectorXd Evaluate(const Quantity& quantity,
                    const nlohmann::json& sample) const {
    const auto numbers = [&](const char* field) -> VectorXd {
      return ToMatrix(sample.at(field));
    };
    // Behind those of a floating base.
    const auto joints = [&](const char* field) -> VectorXd {
      return numbers(field).tail(model_->nv());
    };
    Setting setting{data_.at("urdf"), model_, {}, {}};
    setting.options.reference_frame = quantity.frame;
    setting.options.wrench_frame = quantity.frame;
    Eigen::Vector3d gravity = ToMatrix(data_.at("gravity")).col(0);
    setting[Input::kQ] = joints("q");
    setting[Input::kV] = joints("v");
    setting[Input::kTau] = joints(base_ > 0 ? "tau_id" : "tau");
    if (!quantity.field.starts_with("drift")) setting[Input::kA] = joints("a");
    if (quantity.field.find("wrench") != std::string_view::npos) {
      setting[Input::kTipWrench] =
          -numbers("wrench");  // theirs is on the robot
    }
    if (base_ > 0) {
      const VectorXd q = numbers("q");
      const Eigen::Quaterniond R(q[6], q[3], q[4], q[5]);
      gravity = R.conjugate() * gravity;
      setting[Input::kBaseTwist] = numbers("v").head(base_);
      setting[Input::kBaseAcceleration] = numbers("a").head(base_);
    }
    setting.options.terms.gravity = {gravity[0], gravity[1], gravity[2]};
    const Answers answers =
        Ask(setting, {QuantityOf(quantity.output)}, BestTarget());
    return quantity.field == kSigmaMin
               ? VectorXd::Constant(1, answers.diagnostics.sigma_min)
               : answers[quantity.output];
  }

  double Error(const Quantity& quantity, const nlohmann::json& sample) const {
    const VectorXd ours = Evaluate(quantity, sample);
    const MatrixXd expected = Expected(sample.at(std::string(quantity.field)));
    if (ours.size() != expected.size()) return RelativeError(ours, expected);
    const MatrixXd numbers = Eigen::Map<const RowMajor>(
        ours.data(), expected.rows(), expected.cols());
    const double error = RelativeError(numbers, expected);
    const MatrixXd M = ToMatrix(sample.at("M"));
    const MatrixXd J = ToMatrix(sample.at("J_local"));
    switch (quantity.per) {
      case Per::kResult:
        return error;
      case Per::kMassMatrix:
        return RelativeError(numbers, expected, M.cwiseAbs().maxCoeff());
      case Per::kJacobian:
        return (numbers - expected).norm() / J.norm();
      case Per::kWeight:
        return (numbers - expected).norm() / (9.81 * model_->moving_mass());
      case Per::kConditionOfMass:
        return error / ConditionNumber(M);
      case Per::kConditionOfTask:
        break;
    }
    return error /
           ConditionNumber(J * Eigen::LLT<MatrixXd>(M).solve(J.transpose()));
  }

  /// Without what is a floating base's.
  MatrixXd Expected(const nlohmann::json& numbers) const {
    if (numbers.is_number()) return MatrixXd::Constant(1, 1, numbers);
    if (numbers.is_object()) {
      Eigen::Matrix<double, 3, 4> pose;
      pose << ToMatrix(numbers.at("R")), ToMatrix(numbers.at("p"));
      return pose;
    }
    const int n = model_->nv();
    MatrixXd all = ToMatrix(numbers);
    if (base_ == 0) return all;
    if (all.cols() > 1) return all.bottomRightCorner(n, 10 * n);  // a regressor
    return all.bottomRows(all.rows() == n + base_ ? n : all.rows());
  }

  const nlohmann::json& data_;
  int base_;  // so many velocities are those of a floating base
  std::shared_ptr<const Model> model_;
};

TEST(Golden, EveryQuantityOfEveryRobotEquals) {
  if (!HasSharedData()) GTEST_SKIP() << kNoSharedData;
  int robots = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(TORQUED_SHARED_DIR "/golden")) {
    if (file.path().extension() != ".json") continue;
    const auto data = nlohmann::json::parse(ReadFile(file.path()));
    if (!data.contains("samples")) continue;  // no robot of these
    SCOPED_TRACE(file.path());
    GoldenRobot(data).CompareAll();
    ++robots;
  }
  EXPECT_GE(robots, 6);
}

}  // namespace
}  // namespace torqued::testing_support

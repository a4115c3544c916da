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
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/batch/evaluate_rows.h"
#include "core/batch/evaluation.h"
#include "core/lanes/targets.h"
#include "tests/oracles/golden_data.h"
#include "tests/support/compare.h"
#include "tests/support/load_model.h"

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
        model_(
            LoadModel(ReadSharedText(data.at("urdf")), data.at("tip_frame"))) {}

  void CompareAll() const {
    ASSERT_NE(model_, nullptr);
    CompareJoints();
    if (base_ == 0) {
      for (const Quantity& quantity : kFixedBase) Compare(quantity);
    } else {
      for (const Quantity& quantity : kMovingBase) Compare(quantity);
    }
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
      const VectorXd ours = Evaluate(quantity, sample);
      errors.Add(field, Error(quantity, sample, ours), where);
    }
    // Λ is there for tasks of full rank alone.
    if (compared > 0) errors.ExpectBelow(field, quantity.bound);
  }

  VectorXd Evaluate(const Quantity& quantity,
                    const nlohmann::json& sample) const {
    // Behind those of a floating base.
    const int n = model_->nv();
    const VectorXd place = ToVector(sample.at("q")), q = place.tail(n);
    const VectorXd all_v = ToVector(sample.at("v")), v = all_v.tail(n);
    const VectorXd all_a = ToVector(sample.at("a")), a = all_a.tail(n);
    const VectorXd tau =
        ToVector(sample.at(base_ > 0 ? "tau_id" : "tau")).tail(n);
    // Theirs acts on the robot.
    const VectorXd wrench = -ToVector(sample.at("wrench"));
    VectorXd gravity = ToVector(data_.at("gravity"));
    const VectorXd twist = all_v.head(base_), rate = all_a.head(base_);

    EvaluationOptions options;
    options.quantities = {QuantityOf(quantity.output)};
    options.reference_frame = options.wrench_frame = quantity.frame;
    EvaluationInputs inputs;
    inputs.q = OneRow(q);
    inputs.v = OneRow(v);
    if (!quantity.field.starts_with("drift")) inputs.a = OneRow(a);
    inputs.tau = OneRow(tau);
    if (quantity.field.find("wrench") != std::string_view::npos)
      inputs.tip_wrench = OneRow(wrench);
    if (base_ > 0) {
      const Eigen::Quaterniond R(place[6], place[3], place[4], place[5]);
      gravity = R.conjugate() * Eigen::Vector3d(gravity);
      inputs.base_twist = OneRow(twist);
      inputs.base_acceleration = OneRow(rate);
    }
    options.terms.gravity = {gravity[0], gravity[1], gravity[2]};
    const auto created = EvaluationPlan::Create(model_, options, inputs);
    if (const auto* error = std::get_if<ArgumentError>(&created)) {
      ADD_FAILURE() << error->field << ": " << error->message;
      return {};
    }
    const auto& plan = std::get<EvaluationPlan>(created);
    VectorXd result(plan.columns(quantity.output));
    EvaluationOutputs outputs;
    outputs[quantity.output] = {result.data(), NumberType::kF64};
    VectorXd sigma_min(1);
    if (quantity.output == kLambda) outputs.sigma_min = sigma_min.data();
    RowWorkspace workspace;
    std::vector<RowIssue> issues;
    EvaluateRows(plan, outputs, BestTarget(), 0, 1, workspace, issues);
    return quantity.field == kSigmaMin ? sigma_min : result;
  }

  double Error(const Quantity& quantity, const nlohmann::json& sample,
               const VectorXd& ours) const {
    using RowMajor =
        Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
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
      pose << ToMatrix(numbers.at("R")), ToVector(numbers.at("p"));
      return pose;
    }
    const int n = model_->nv();
    if (numbers.front().is_array()) {
      MatrixXd all = ToMatrix(numbers);
      if (base_ == 0) return all;
      return all.bottomRightCorner(n, 10 * n);  // a regressor
    }
    const VectorXd all = ToVector(numbers);
    return all.size() == n + base_ ? all.tail(n) : all;
  }

  static InputArray OneRow(const VectorXd& vector) {
    return {vector.data(), NumberType::kF64, 1,
            static_cast<int>(vector.size())};
  }

  const nlohmann::json& data_;
  int base_;  // so many velocities are those of a floating base
  std::shared_ptr<const Model> model_;
};

TEST(Golden, EveryQuantityOfEveryRobotEquals) {
  if (!HasSharedData()) GTEST_SKIP() << kNoSharedData;
  int robots = 0;
  const std::filesystem::path folder = TORQUED_SHARED_DIR;
  for (const auto& file :
       std::filesystem::directory_iterator(folder / "golden")) {
    const std::string name = file.path().filename();
    if (file.path().extension() != ".json") continue;
    const nlohmann::json data = ReadSharedJson("golden/" + name);
    if (!data.contains("samples")) continue;  // no robot of these
    SCOPED_TRACE(name);
    GoldenRobot(data).CompareAll();
    ++robots;
  }
  EXPECT_GE(robots, 6);
}

}  // namespace
}  // namespace torqued::testing_support

#include "core/engine/robot.h"

#include <limits>
#include <utility>
#include <variant>
#include <vector>

#include "core/engine/row_issue.h"
#include "core/engine/targets.h"

namespace torqued {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// An empty vector is a row of no columns, not an absent input.
InputArray OneRow(Robot::Vector vector) {
  return {vector.data(), NumberType::kF64, 1, static_cast<int>(vector.size())};
}

std::string TextOf(const ArgumentError& error) {
  return error.field + ": " + error.message;
}

}  // namespace

Robot::Robot(std::shared_ptr<const Model> model)
    : Robot(std::move(model), Options{}) {}

Robot::Robot(std::shared_ptr<const Model> model, Options options)
    : model_(std::move(model)), options_(std::move(options)) {
  if (options_.target == nullptr) options_.target = &BestTarget();
  kernels_ =
      kOneLaneHasBitsOfLanes ? options_.target->one_lane : options_.target;
}

Robot::Prepared* Robot::PreparedFor(Quantity quantity) {
  auto& prepared = prepared_[static_cast<std::size_t>(quantity)];
  if (prepared != nullptr) return prepared.get();
  EvaluationOptions options;
  options.quantities.Add(quantity);
  options.terms = options_.terms;
  options.tip_frame = options_.tip_frame;
  options.reference_frame = options_.reference_frame;
  options.wrench_frame = options_.reference_frame;
  options.task = options_.task;
  auto created = EvaluationPlan::Create(model_, std::move(options));
  if (const auto* error = std::get_if<ArgumentError>(&created)) {
    last_error_ = TextOf(*error);
    return nullptr;
  }
  prepared =
      std::make_unique<Prepared>(std::get<EvaluationPlan>(std::move(created)));
  return prepared.get();
}

bool Robot::EvaluateAgain(Prepared& prepared, const EvaluationInputs& inputs,
                          const EvaluationOutputs& outputs) const {
  for (int k = 0; k < kInputCount; ++k) {
    const InputArray& array = inputs[static_cast<Input>(k)];
    KernelInput& in = prepared.job.inputs[k];
    if (array.present() != (in.data != nullptr)) return false;
    if (array.columns != in.columns) return false;
    in.data = array.data;
  }
  for (OutputBits left = prepared.job.wanted; left != 0; left &= left - 1) {
    const int k = __builtin_ctzll(left);
    prepared.job.outputs[k].data =
        outputs.arrays[static_cast<std::size_t>(k)].data;
  }
  FallbackRow fallback;
  if (kernels_->again(prepared.workspace.lanes.get(), &fallback) != 0) {
    return false;
  }
  if (outputs.rank != nullptr) {
    *outputs.rank = static_cast<std::uint32_t>(options_.task.axis_count);
    *outputs.rule = TaskRule::kFullRank;
  }
  return true;
}

void Robot::Evaluate(Quantity quantity, const EvaluationInputs& inputs,
                     const EvaluationOutputs& outputs) {
  Prepared* const prepared = PreparedFor(quantity);
  if (prepared == nullptr) return;
  last_error_.clear();
  if (prepared->evaluated && EvaluateAgain(*prepared, inputs, outputs)) return;
  prepared->evaluated = false;
  EvaluationPlan& plan = prepared->plan;
  RowWorkspace& workspace = prepared->workspace;
  if (const auto error = plan.Rebind(inputs)) {
    last_error_ = TextOf(*error);
    return;
  }
  std::vector<RowIssue> issues;
  EvaluateRows(plan, outputs, *options_.target, 0, 1, workspace, issues);
  if (!issues.empty()) last_error_ = Describe(plan, issues.front());
  // Singular values are none of the kernels'.
  if (!issues.empty() || outputs.sigma_min != nullptr || model_->nv() == 0) {
    return;
  }
  BlockJob& job = prepared->job = plan.Job(outputs);
  for (KernelInput& in : job.inputs) in.one_row = false;
  FallbackRow fallback;
  prepared->evaluated =
      RunKernels(*kernels_, job, 0, 1, workspace, &fallback) == 0;
}

template <class Result>
Result Robot::Compute(Output output, Result result,
                      const EvaluationInputs& inputs) {
  result.setConstant(kNaN);
  EvaluationOutputs outputs;
  outputs[output] = {result.data(), NumberType::kF64};
  Evaluate(QuantityOf(output), inputs, outputs);
  return result;
}

Eigen::VectorXd Robot::InverseDynamics(Vector q, Vector v, Vector a) {
  return Compute(Output::kTau, Eigen::VectorXd(model_->nv()),
                 {.q = OneRow(q), .v = OneRow(v), .a = OneRow(a)});
}

Eigen::VectorXd Robot::InverseDynamics(Vector q, Vector v, Vector a,
                                       Vector tip_wrench_on_environment) {
  return Compute(Output::kTau, Eigen::VectorXd(model_->nv()),
                 {.q = OneRow(q),
                  .v = OneRow(v),
                  .a = OneRow(a),
                  .tip_wrench = OneRow(tip_wrench_on_environment)});
}

Eigen::MatrixXd Robot::MassMatrix(Vector q) {
  // Symmetric: row-major and column-major are the same.
  return Compute(Output::kMassMatrix,
                 Eigen::MatrixXd(model_->nv(), model_->nv()), {.q = OneRow(q)});
}

Eigen::VectorXd Robot::ForwardDynamics(Vector q, Vector v, Vector tau) {
  return Compute(Output::kAcceleration, Eigen::VectorXd(model_->nv()),
                 {.q = OneRow(q), .v = OneRow(v), .tau = OneRow(tau)});
}

Eigen::VectorXd Robot::ForwardDynamics(Vector q, Vector v, Vector tau,
                                       Vector tip_wrench_on_environment) {
  return Compute(Output::kAcceleration, Eigen::VectorXd(model_->nv()),
                 {.q = OneRow(q),
                  .v = OneRow(v),
                  .tau = OneRow(tau),
                  .tip_wrench = OneRow(tip_wrench_on_environment)});
}

Eigen::VectorXd Robot::BiasForces(Vector q, Vector v) {
  return Compute(Output::kBias, Eigen::VectorXd(model_->nv()),
                 {.q = OneRow(q), .v = OneRow(v)});
}

Eigen::Matrix4d Robot::FramePose(Vector q) {
  Eigen::Matrix4d pose = Eigen::Matrix4d::Identity();
  pose.topRows<3>() =
      Compute(Output::kPose, Eigen::Matrix<double, 3, 4, Eigen::RowMajor>(),
              {.q = OneRow(q)});
  return pose;
}

Eigen::MatrixXd Robot::Jacobian(Vector q) {
  return Compute(Output::kJacobian,
                 Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::RowMajor>(
                     6, model_->nv()),
                 {.q = OneRow(q)});
}

Eigen::VectorXd Robot::JacobianDrift(Vector q, Vector v) {
  return Compute(Output::kJacobianDrift, Eigen::VectorXd(6),
                 {.q = OneRow(q), .v = OneRow(v)});
}

Robot::OperationalSpaceResult Robot::OperationalSpace(Vector q, Vector v) {
  const int m = options_.task.axis_count;
  OperationalSpaceResult result;
  result.lambda.setConstant(m, m, kNaN);
  result.eta.setConstant(m, kNaN);
  result.diagnostics.sigma_min = kNaN;
  std::uint32_t rank = 0;
  EvaluationOutputs outputs;
  outputs[Output::kLambda] = {result.lambda.data(), NumberType::kF64};
  outputs[Output::kEta] = {result.eta.data(), NumberType::kF64};
  outputs.rank = &rank;
  outputs.rule = &result.diagnostics.rule;
  if (options_.sigma_min) outputs.sigma_min = &result.diagnostics.sigma_min;
  Evaluate(Quantity::kOperationalSpace, {.q = OneRow(q), .v = OneRow(v)},
           outputs);
  result.diagnostics.rank = static_cast<int>(rank);
  return result;
}

}  // namespace torqued

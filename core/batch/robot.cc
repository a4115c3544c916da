#include "core/batch/robot.h"

#include <limits>
#include <utility>

#include "core/batch/row_issue.h"
#include "core/lanes/targets.h"

namespace torqued {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// An empty vector is a row of no columns, not an absent input.
InputArray OneRow(Robot::Vector vector) {
  return {vector.data(), NumberType::kF64, 1, static_cast<int>(vector.size())};
}

EvaluationOutputs Only(Output output, double* data) {
  EvaluationOutputs outputs;
  outputs[output] = {data, NumberType::kF64};
  return outputs;
}

}  // namespace

Robot::Robot(std::shared_ptr<const Model> model)
    : Robot(std::move(model), Options{}) {}

Robot::Robot(std::shared_ptr<const Model> model, Options options)
    : model_(std::move(model)),
      options_(std::move(options)),
      target_(options_.target != nullptr ? options_.target : &BestTarget()),
      kernels_(kOneLaneHasBitsOfLanes ? target_->one_lane : target_) {}

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
    last_error_ = error->field + ": " + error->message;
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
    LaneInput& in = prepared.job.inputs[k];
    const bool given = array.present();
    if (given != (in.data != nullptr)) return false;
    if (given && (array.columns != in.columns || array.data == nullptr)) {
      return false;
    }
    in.data = array.data;
  }
  for (OutputBits left = prepared.job.wanted; left != 0; left &= left - 1) {
    const int k = __builtin_ctzll(left);
    prepared.job.outputs[k].data =
        outputs.arrays[static_cast<std::size_t>(k)].data;
  }
  DoubtfulRow doubtful;
  if (kernels_->again(prepared.workspace.lanes.get(), &doubtful) != 0) {
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
  if (prepared->evaluated && outputs.sigma_min == nullptr &&
      EvaluateAgain(*prepared, inputs, outputs)) {
    last_error_.clear();
    return;
  }
  EvaluationPlan& plan = prepared->plan;
  if (const auto error = plan.Rebind(inputs)) {
    last_error_ = error->field + ": " + error->message;
    return;
  }
  issues_.clear();
  EvaluateRows(plan, outputs, *target_, 0, 1, workspace_, issues_);
  if (!issues_.empty()) {
    last_error_ = Describe(plan, issues_.front());
    return;
  }
  last_error_.clear();
  BlockJob& job = prepared->job = plan.Job(outputs);
  for (LaneInput& in : job.inputs) in.one_row = false;
  DoubtfulRow doubtful;
  prepared->evaluated =
      model_->nv() > 0 &&
      RunLanes(*kernels_, job, 0, 1, prepared->workspace, &doubtful) == 0;
}

Eigen::VectorXd Robot::InverseDynamics(Vector q, Vector v, Vector a) {
  return InverseDynamicsUnder({}, q, v, a);
}

Eigen::VectorXd Robot::InverseDynamics(Vector q, Vector v, Vector a,
                                       Vector tip_wrench_on_environment) {
  return InverseDynamicsUnder(OneRow(tip_wrench_on_environment), q, v, a);
}

Eigen::VectorXd Robot::InverseDynamicsUnder(const InputArray& tip_wrench,
                                            Vector q, Vector v, Vector a) {
  Eigen::VectorXd tau = Eigen::VectorXd::Constant(model_->nv(), kNaN);
  EvaluationInputs inputs;
  inputs.q = OneRow(q);
  inputs.v = OneRow(v);
  inputs.a = OneRow(a);
  inputs.tip_wrench = tip_wrench;
  Evaluate(Quantity::kInverseDynamics, inputs, Only(Output::kTau, tau.data()));
  return tau;
}

Eigen::MatrixXd Robot::MassMatrix(Vector q) {
  const int n = model_->nv();
  Eigen::MatrixXd M = Eigen::MatrixXd::Constant(n, n, kNaN);
  EvaluationInputs inputs;
  inputs.q = OneRow(q);
  // Symmetric: row-major and column-major are the same.
  Evaluate(Quantity::kMassMatrix, inputs, Only(Output::kMassMatrix, M.data()));
  return M;
}

Eigen::VectorXd Robot::ForwardDynamics(Vector q, Vector v, Vector tau) {
  return ForwardDynamicsUnder({}, q, v, tau);
}

Eigen::VectorXd Robot::ForwardDynamics(Vector q, Vector v, Vector tau,
                                       Vector tip_wrench_on_environment) {
  return ForwardDynamicsUnder(OneRow(tip_wrench_on_environment), q, v, tau);
}

Eigen::VectorXd Robot::ForwardDynamicsUnder(const InputArray& tip_wrench,
                                            Vector q, Vector v, Vector tau) {
  Eigen::VectorXd a = Eigen::VectorXd::Constant(model_->nv(), kNaN);
  EvaluationInputs inputs;
  inputs.q = OneRow(q);
  inputs.v = OneRow(v);
  inputs.tau = OneRow(tau);
  inputs.tip_wrench = tip_wrench;
  Evaluate(Quantity::kForwardDynamics, inputs,
           Only(Output::kAcceleration, a.data()));
  return a;
}

Eigen::VectorXd Robot::BiasForces(Vector q, Vector v) {
  Eigen::VectorXd h = Eigen::VectorXd::Constant(model_->nv(), kNaN);
  EvaluationInputs inputs;
  inputs.q = OneRow(q);
  inputs.v = OneRow(v);
  Evaluate(Quantity::kBiasForces, inputs, Only(Output::kBias, h.data()));
  return h;
}

Eigen::Matrix4d Robot::FramePose(Vector q) {
  Eigen::Matrix<double, 3, 4, Eigen::RowMajor> upper;
  upper.setConstant(kNaN);
  EvaluationInputs inputs;
  inputs.q = OneRow(q);
  Evaluate(Quantity::kFramePose, inputs, Only(Output::kPose, upper.data()));
  Eigen::Matrix4d pose = Eigen::Matrix4d::Identity();
  pose.topRows<3>() = upper;
  return pose;
}

Eigen::MatrixXd Robot::Jacobian(Vector q) {
  Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::RowMajor> J;
  J.setConstant(6, model_->nv(), kNaN);
  EvaluationInputs inputs;
  inputs.q = OneRow(q);
  Evaluate(Quantity::kJacobian, inputs, Only(Output::kJacobian, J.data()));
  return J;
}

Eigen::VectorXd Robot::JacobianDrift(Vector q, Vector v) {
  Eigen::VectorXd drift = Eigen::VectorXd::Constant(6, kNaN);
  EvaluationInputs inputs;
  inputs.q = OneRow(q);
  inputs.v = OneRow(v);
  Evaluate(Quantity::kJacobianDrift, inputs,
           Only(Output::kJacobianDrift, drift.data()));
  return drift;
}

Robot::OperationalSpaceResult Robot::OperationalSpace(Vector q, Vector v) {
  const int m = options_.task.axis_count;
  OperationalSpaceResult result;
  result.lambda.setConstant(m, m, kNaN);
  result.eta.setConstant(m, kNaN);
  std::uint32_t rank = 0;
  EvaluationOutputs outputs;
  outputs[Output::kLambda] = {result.lambda.data(), NumberType::kF64};
  outputs[Output::kEta] = {result.eta.data(), NumberType::kF64};
  outputs.rank = &rank;
  result.diagnostics.sigma_min = kNaN;
  if (options_.sigma_min) {
    outputs.sigma_min = &result.diagnostics.sigma_min;
  }
  outputs.rule = &result.diagnostics.rule;
  EvaluationInputs inputs;
  inputs.q = OneRow(q);
  inputs.v = OneRow(v);
  Evaluate(Quantity::kOperationalSpace, inputs, outputs);
  result.diagnostics.rank = static_cast<int>(rank);
  return result;
}

}  // namespace torqued

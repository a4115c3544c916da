#include "core/engine/robot.h"

#include <utility>
#include <variant>
#include <vector>

#include "core/engine/evaluate_rows.h"

namespace torqued {

/// A quantity's plan, and the kernels' evaluation of the last state.
struct Robot::Prepared {
  /// As the last state; false if it is not of its form or in doubt.
  bool EvaluateAgain(const EvaluationInputs& inputs, const Tables& tables) {
    for (const Input input :
         {Input::kQ, Input::kV, Input::kA, Input::kTau, Input::kTipWrench}) {
      const InputArray& array = inputs[input];
      KernelInput& in = job.inputs[static_cast<std::size_t>(input)];
      if (array.present() != (in.data != nullptr)) return false;
      if (array.columns != in.columns) return false;
      in.data = array.data;
    }
    double* const* table = tables.outputs;
    for (OutputBits left = job.wanted; left != 0; left &= left - 1) {
      job.outputs[__builtin_ctzll(left)].data = *table++;
    }
    FallbackRow fallback;
    return kernels.again(workspace.lanes.get(), &fallback) == 0;
  }

  EvaluationPlan plan;
  const SimdKernels& kernels;  // of single states
  BlockJob job{};
  RowWorkspace workspace = {};
  bool evaluated = false;
};

Robot::Robot(std::shared_ptr<const Model> model)
    : Robot(std::move(model), Options{}) {}

Robot::Robot(std::shared_ptr<const Model> model, Options options)
    : model_(std::move(model)), options_(std::move(options)) {
  if (options_.target == nullptr) options_.target = &BestTarget();
}

Robot::~Robot() = default;
Robot::Robot(Robot&&) noexcept = default;
Robot& Robot::operator=(Robot&&) noexcept = default;

bool Robot::Evaluate(Quantity quantity, const EvaluationInputs& inputs,
                     const Tables& tables) {
  const auto refuse = [this](const ArgumentError& error) {
    last_error_ = error.field + ": " + error.message;
    return false;
  };
  auto& prepared = prepared_[static_cast<std::size_t>(quantity)];
  const SimdKernels& target = *options_.target;
  if (prepared == nullptr) {
    auto plan = EvaluationPlan::Create(
        model_, {.quantities = {quantity},
                 .terms = options_.terms,
                 .tip_frame = options_.tip_frame,
                 .reference_frame = options_.reference_frame,
                 .wrench_frame = options_.reference_frame,
                 .task = options_.task});
    if (const auto* error = std::get_if<ArgumentError>(&plan)) {
      return refuse(*error);
    }
    prepared = std::make_unique<Prepared>(
        std::get<EvaluationPlan>(std::move(plan)),
        kOneLaneHasBitsOfLanes ? *target.one_lane : target);
  }
  last_error_.clear();
  prepared->evaluated =
      prepared->evaluated && prepared->EvaluateAgain(inputs, tables);
  if (prepared->evaluated) return true;
  EvaluationPlan& plan = prepared->plan;
  RowWorkspace& workspace = prepared->workspace;
  if (const auto error = plan.Rebind(inputs)) return refuse(*error);
  EvaluationOutputs outputs;
  double* const* table = tables.outputs;
  for (OutputBits left = RowOf(quantity).outputs; left != 0; left &= left - 1) {
    outputs.arrays[static_cast<std::size_t>(__builtin_ctzll(left))].data =
        *table++;
  }
  outputs.rank = tables.rank;
  outputs.rule = tables.rule;
  outputs.sigma_min = tables.sigma_min;
  // Singular values are none of the kernels'.
  if (outputs.sigma_min == nullptr && model_->nv() > 0) {
    BlockJob& job = prepared->job = JobOf(plan, outputs);
    for (KernelInput& in : job.inputs) in.one_row = false;
    FallbackRow fallback;
    prepared->evaluated =
        RunKernels(prepared->kernels, job, 0, 1, workspace, &fallback) == 0;
    if (prepared->evaluated) return true;
  }
  std::vector<RowIssue> issues;
  EvaluateRows(plan, outputs, target, 0, 1, workspace, issues);
  if (!issues.empty()) last_error_ = Describe(plan, issues.front());
  return true;
}

}  // namespace torqued

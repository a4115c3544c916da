#include "tests/oracles/quantities.h"

#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

#include "core/batch/evaluate_rows.h"
#include "core/lanes/targets.h"

namespace torqued::testing_support {
namespace {

InputArray OneRow(const Eigen::VectorXd& vector) {
  return {vector.data(), NumberType::kF64, 1, static_cast<int>(vector.size())};
}

}  // namespace

Quantities::Quantities(const TestRobot& robot, const State& state,
                       ReferenceFrame frame, bool wrench,
                       const std::vector<Push>& pushes) {
  EvaluationOptions options;
  for (int i = 0; i < kQuantityCount; ++i) {
    const auto quantity = static_cast<Quantity>(i);
    // Tasks that have no full rank are for others.
    if ((kTaskQuantities & Bit(quantity)) == 0) {
      options.quantities.Add(quantity);
    }
  }
  options.terms.gravity = kSkewGravity;
  options.tip_frame = robot.tip;
  options.reference_frame = options.wrench_frame = frame;
  EvaluationInputs inputs;
  inputs.q = OneRow(state.q);
  inputs.v = OneRow(state.v);
  inputs.a = OneRow(state.a);
  inputs.tau = OneRow(state.tau);
  if (wrench) inputs.tip_wrench = OneRow(state.wrench);
  Eigen::VectorXd external(6 * static_cast<Eigen::Index>(pushes.size()));
  for (std::size_t k = 0; k < pushes.size(); ++k) {
    options.external_wrenches.push_back({.frame = pushes[k].link});
    external.segment<6>(6 * static_cast<Eigen::Index>(k)) = pushes[k].wrench;
  }
  if (!pushes.empty()) inputs.external_wrenches = OneRow(external);
  auto created =
      EvaluationPlan::Create(robot.model, std::move(options), inputs);
  if (const auto* error = std::get_if<ArgumentError>(&created)) {
    throw std::runtime_error(error->message);
  }
  const auto& plan = std::get<EvaluationPlan>(created);
  EvaluationOutputs outputs;
  for (int i = 0; i < kOutputCount; ++i) {
    const auto output = static_cast<Output>(i);
    if (!plan.Produces(output)) continue;
    Eigen::VectorXd& result = results_[static_cast<std::size_t>(i)];
    result.resize(plan.columns(output));
    outputs[output] = {result.data(), NumberType::kF64};
  }
  RowWorkspace workspace;
  std::vector<RowIssue> issues;
  EvaluateRows(plan, outputs, BestTarget(), 0, 1, workspace, issues);
  if (!issues.empty()) throw std::runtime_error("a row is not OK");
}

Quantities::RowMajor Quantities::Matrix(Output output,
                                        Eigen::Index rows) const {
  const Eigen::VectorXd& numbers = (*this)[output];
  return Eigen::Map<const RowMajor>(numbers.data(), rows,
                                    numbers.size() / rows);
}

}  // namespace torqued::testing_support

#include "core/batch/evaluate_rows.h"

#include <algorithm>
#include <optional>

#include "core/batch/double_rows.h"
#include "core/batch/row_evaluation.h"

namespace torqued {
namespace {

/// Blocks of lanes, of single precision those in doubt again in blocks of
/// double precision, then what is still in doubt one by one.
void EvaluateLanes(const EvaluationPlan& plan, const EvaluationOutputs& outputs,
                   const LaneKernels& kernels, std::int64_t begin,
                   std::int64_t end, RowWorkspace& workspace,
                   std::vector<RowIssue>& issues) {
  BlockJob job = plan.blocks().Job(plan, outputs);
  workspace.ReserveDoubtful(end - begin);
  long long count =
      RunLanes(kernels, job, begin, end, workspace, workspace.doubtful.data());
  if (count > 0 && job.single_precision) {
    count = RecomputeInDouble(plan, job, kernels, workspace, count);
  }
  const bool task = plan.options().quantities.Has(Quantity::kOperationalSpace);
  if (task) {
    const int rank = plan.options().task.axis_count;
    if (outputs.rank != nullptr) {
      std::fill(outputs.rank + begin, outputs.rank + end,
                static_cast<std::uint32_t>(rank));
    }
    if (outputs.rule != nullptr) {
      std::fill(outputs.rule + begin, outputs.rule + end, TaskRule::kFullRank);
    }
  }
  const bool wants_sigma = task && outputs.sigma_min != nullptr;
  const QuantitySet by_rows = plan.blocks().by_rows();
  if (count == 0 && !wants_sigma && by_rows.empty()) return;

  workspace.Reserve(plan);
  if (wants_sigma) {
    RowEvaluation evaluation(plan, outputs, workspace, {});
    long long next = 0;
    for (std::int64_t row = begin; row < end; ++row) {
      // Rows whose task is in doubt get theirs with the verdict.
      if (next < count && workspace.doubtful[next].row == row) {
        if (QuantitySet(workspace.doubtful[next++].quantities)
                .Has(Quantity::kOperationalSpace))
          continue;
      }
      outputs.sigma_min[row] = evaluation.SmallestSingularValue(row);
    }
  }
  const auto decide = [&](std::int64_t row, QuantityBits in_doubt) {
    // Of those that were not asked for nothing is stored.
    const QuantitySet quantities(in_doubt & plan.options().quantities.bits());
    RowEvaluation evaluation(plan, outputs, workspace, quantities);
    if (const auto issue = evaluation.Evaluate(row)) issues.push_back(*issue);
  };
  if (by_rows.empty()) {
    for (long long k = 0; k < count; ++k) {
      decide(workspace.doubtful[k].row, workspace.doubtful[k].quantities);
    }
    return;
  }
  long long next = 0;
  for (std::int64_t row = begin; row < end; ++row) {
    QuantityBits quantities = by_rows.bits();
    if (next < count && workspace.doubtful[next].row == row) {
      quantities |= workspace.doubtful[next++].quantities;
    }
    decide(row, quantities);
  }
}

}  // namespace

long long RunLanes(const LaneKernels& kernels, const BlockJob& job,
                   std::int64_t begin, std::int64_t end,
                   RowWorkspace& workspace, DoubtfulRow* doubtful) {
  long long count = 0;
  while ((count = kernels.evaluate(&job, begin, end, workspace.lanes.get(),
                                   workspace.lanes_bytes, doubtful)) < 0) {
    workspace.ReserveLanes(-count);
  }
  return count;
}

void EvaluateRows(const EvaluationPlan& plan, const EvaluationOutputs& outputs,
                  const LaneKernels& kernels, std::int64_t begin,
                  std::int64_t end, RowWorkspace& workspace,
                  std::vector<RowIssue>& issues) {
  if (plan.blocks().usable()) {
    for (; begin < end; begin += RowWorkspace::kMostListed) {
      EvaluateLanes(plan, outputs, kernels, begin,
                    std::min(end, begin + RowWorkspace::kMostListed), workspace,
                    issues);
    }
    return;
  }
  workspace.Reserve(plan);
  RowEvaluation evaluation(plan, outputs, workspace, plan.options().quantities);
  for (std::int64_t row = begin; row < end; ++row) {
    if (const auto issue = evaluation.Evaluate(row)) issues.push_back(*issue);
  }
}

}  // namespace torqued

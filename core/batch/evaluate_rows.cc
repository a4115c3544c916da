#include "core/batch/evaluate_rows.h"

#include <algorithm>

#include "core/batch/row_decision.h"

namespace torqued {
namespace {

/// Blocks of more lanes take longer than so many rows one after the other.
constexpr std::int64_t kRowsOfOneLane = kOneLaneHasBitsOfLanes ? 2 : 0;

/// Rows [begin, end), at most RowWorkspace::kMostListed, as the kernels find
/// them: how many are in doubt in double precision, listed in
/// workspace.doubtful.
long long RunKernels(const EvaluationPlan& plan,
                     const EvaluationOutputs& outputs,
                     const LaneKernels& kernels, std::int64_t begin,
                     std::int64_t end, RowWorkspace& workspace) {
  const bool one_lane = plan.one_lane() || end - begin <= kRowsOfOneLane;
  const LaneKernels& in_double = one_lane ? *kernels.one_lane : kernels;
  BlockJob job = plan.Job(outputs);
  const QuantityBits large = plan.large().bits();
  DoubtfulRow* const rows = workspace.doubtful.data();
  if (!job.single_precision) {
    return RunLanes(in_double, job, begin, end, workspace, rows);
  }
  const OutputBits wanted = job.wanted;
  job.wanted = WantedOf(job, ~large);
  long long count = RunLanes(kernels, job, begin, end, workspace, rows);
  if (large != 0) {
    // All rows, with the doubts of those that are listed.
    std::int64_t row = end;
    for (long long k = count; row-- > begin;) {
      const bool listed = k > 0 && rows[k - 1].row == row;
      const QuantityBits doubts = listed ? rows[--k].quantities : 0;
      rows[row - begin] = {row, large | doubts};
    }
    count = end - begin;
  }
  if (count == 0) return 0;

  // These rows again in double precision. Of each, what is not in doubt stays
  // as it is: its bits do not depend on its neighbours.
  QuantityBits quantities = 0;
  for (long long k = 0; k < count; ++k) quantities |= rows[k].quantities;
  job.single_precision = false;
  job.streaming_stores = false;
  job.rows = rows;
  job.wanted = wanted;
  job.wanted = WantedOf(job, quantities);
  job.task = job.task && (quantities & kTaskQuantities) != 0;
  DoubtfulRow* const left = workspace.undecided.data();
  const long long found = RunLanes(in_double, job, 0, count, workspace, left);
  long long open = 0;
  for (long long k = 0; k < found; ++k) {
    const DoubtfulRow& row = rows[left[k].row];
    const QuantityBits doubts = row.quantities & left[k].quantities;
    if (doubts != 0) rows[open++] = {row.row, doubts};
  }
  return open;
}

void EvaluateListed(const EvaluationPlan& plan,
                    const EvaluationOutputs& outputs,
                    const LaneKernels& kernels, std::int64_t begin,
                    std::int64_t end, RowWorkspace& workspace,
                    std::vector<RowIssue>& issues) {
  workspace.ReserveDoubtful(end - begin);
  const long long count =
      RunKernels(plan, outputs, kernels, begin, end, workspace);
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
  if (count == 0 && !wants_sigma) return;

  workspace.Reserve(plan);
  RowDecision decision(plan, outputs, kernels, workspace);
  if (wants_sigma) {
    long long next = 0;
    for (std::int64_t row = begin; row < end; ++row) {
      // Rows whose task is in doubt get theirs with the verdict.
      if (next < count && workspace.doubtful[next].row == row) {
        if (QuantitySet(workspace.doubtful[next++].quantities)
                .Has(Quantity::kOperationalSpace))
          continue;
      }
      outputs.sigma_min[row] = decision.SmallestSingularValue(row);
    }
  }
  for (long long k = 0; k < count; ++k) {
    // Of what was not asked for nothing is stored.
    const QuantitySet quantities(workspace.doubtful[k].quantities &
                                 plan.options().quantities.bits());
    const auto issue = decision.Decide(workspace.doubtful[k].row, quantities);
    if (issue) issues.push_back(*issue);
  }
}

}  // namespace

OutputBits WantedOf(const BlockJob& job, QuantityBits quantities) {
  OutputBits wanted = 0;
  for (OutputBits left = job.wanted; left != 0; left &= left - 1) {
    const auto output = static_cast<Output>(__builtin_ctzll(left));
    if ((quantities & Bit(QuantityOf(output))) != 0) wanted |= Bit(output);
  }
  return wanted;
}

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
  for (; begin < end; begin += RowWorkspace::kMostListed) {
    EvaluateListed(plan, outputs, kernels, begin,
                   std::min(end, begin + RowWorkspace::kMostListed), workspace,
                   issues);
  }
}

}  // namespace torqued

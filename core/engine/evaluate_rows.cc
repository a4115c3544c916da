#include "core/engine/evaluate_rows.h"

#include <algorithm>

namespace torqued {
namespace {

/// Blocks of more lanes take longer than so many rows one after the other.
constexpr std::int64_t kRowsOfOneLane = kOneLaneHasBitsOfLanes ? 2 : 0;

/// Rows in doubt that are listed at a time: whole blocks of any target.
constexpr std::int64_t kMaxListed = 2048;

/// Of lanes, beside what they say without inputs.
constexpr std::int64_t kBytesOfAJointInLanes = 2048;

std::int64_t BytesOf(const auto& vector) {
  return static_cast<std::int64_t>(vector.capacity() * sizeof(vector[0]));
}

/// Of PivotScratch, beside what vectors take themselves.
std::int64_t BytesOfPivots(std::int64_t bodies) {
  return bodies *
         static_cast<std::int64_t>(sizeof(Transform<double>) +
                                   2 * sizeof(ArticulatedInertia<double>) +
                                   3 * sizeof(double) + sizeof(int));
}

/// At most kMaxListed rows, as the kernels find them: how many are in doubt in
/// double precision, listed at the front of workspace.fallback.
long long RunKernels(const EvaluationPlan& plan,
                     const EvaluationOutputs& outputs,
                     const SimdKernels& kernels, std::int64_t begin,
                     std::int64_t end, RowWorkspace& workspace) {
  const bool one_lane =
      plan.checked().one_lane || end - begin <= kRowsOfOneLane;
  const SimdKernels& in_double = one_lane ? *kernels.one_lane : kernels;
  BlockJob job = JobOf(plan, outputs);
  FallbackRow* const rows = workspace.fallback.data();
  if (!job.single_precision) {
    return RunKernels(in_double, job, begin, end, workspace, rows);
  }
  const QuantityBits large = plan.checked().large.bits();
  const OutputBits wanted = job.wanted;
  job.wanted &= ~OutputsOf(large);
  long long count = RunKernels(kernels, job, begin, end, workspace, rows);
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
  job.wanted = wanted & OutputsOf(quantities);
  job.task = job.task && (quantities & kTaskQuantities) != 0;
  FallbackRow* const left = rows + (end - begin);
  const long long found = RunKernels(in_double, job, 0, count, workspace, left);
  long long open = 0;
  for (long long k = 0; k < found; ++k) {
    const FallbackRow& row = rows[left[k].row];
    const QuantityBits doubts = row.quantities & left[k].quantities;
    if (doubts != 0) rows[open++] = {row.row, doubts};
  }
  return open;
}

}  // namespace

std::int64_t RowWorkspace::BytesFor(const EvaluationPlan& plan,
                                    const SimdKernels& kernels) {
  double nothing = 0;  // is not written
  EvaluationOutputs outputs;
  for (OutputArray& output : outputs.arrays) output.data = &nothing;
  BlockJob job = JobOf(plan, outputs);
  for (KernelInput& input : job.inputs) input = {};
  // The kernels themselves say what a job takes.
  std::int64_t of_lanes = 0;
  if (job.single_precision) {
    BlockJob single = job;
    single.wanted &= ~OutputsOf(plan.checked().large.bits());
    of_lanes = -kernels.evaluate(&single, 0, 0, nullptr, 0, nullptr);
    job.single_precision = false;
  }
  const auto& in_double = plan.checked().one_lane ? *kernels.one_lane : kernels;
  of_lanes = std::max<std::int64_t>(
      of_lanes, -in_double.evaluate(&job, 0, 0, nullptr, 0, nullptr));
  const Model& model = plan.model();
  return of_lanes + kBytesOfAJointInLanes * model.nv() +
         BytesOfPivots(model.tree().n) +
         std::int64_t{sizeof(double)} * DecisionNumbers(plan) +
         2 * kMaxListed * std::int64_t{sizeof(FallbackRow)};
}

std::int64_t RowWorkspace::bytes() const {
  return lanes_bytes + BytesOf(fallback) + BytesOf(numbers) +
         BytesOfPivots(static_cast<std::int64_t>(pivots.X.capacity()));
}

long long RunKernels(const SimdKernels& kernels, const BlockJob& job,
                     std::int64_t begin, std::int64_t end,
                     RowWorkspace& workspace, FallbackRow* fallback) {
  for (;;) {
    const long long count =
        kernels.evaluate(&job, begin, end, workspace.lanes.get(),
                         workspace.lanes_bytes, fallback);
    if (count >= 0) return count;
    workspace.lanes.reset();  // not both at a time
    workspace.lanes_bytes = 0;
    using Line = RowWorkspace::CacheLine;
    workspace.lanes = std::make_unique_for_overwrite<Line[]>(
        static_cast<std::size_t>(-count - 1) / sizeof(Line) + 1);
    workspace.lanes_bytes = -count;
  }
}

void EvaluateRows(const EvaluationPlan& plan, const EvaluationOutputs& outputs,
                  const SimdKernels& kernels, std::int64_t begin,
                  std::int64_t end, RowWorkspace& workspace,
                  std::vector<RowIssue>& issues) {
  for (; end - begin > kMaxListed; begin += kMaxListed) {
    EvaluateRows(plan, outputs, kernels, begin, begin + kMaxListed, workspace,
                 issues);
  }
  if (begin >= end) return;
  // Those in doubt, and in double precision still.
  const auto listed = static_cast<std::size_t>(2 * (end - begin));
  if (workspace.fallback.size() < listed) {
    workspace.fallback = std::vector<FallbackRow>(listed);
  }
  const long long count =
      RunKernels(plan, outputs, kernels, begin, end, workspace);
  const QuantitySet asked = plan.options().quantities;
  const bool task = asked.Has(Quantity::kOperationalSpace);
  if (task && outputs.rank != nullptr) {
    std::fill(outputs.rank + begin, outputs.rank + end,
              static_cast<std::uint32_t>(plan.options().task.axis_count));
  }
  if (task && outputs.rule != nullptr) {
    std::fill(outputs.rule + begin, outputs.rule + end, TaskRule::kFullRank);
  }
  const bool wants_sigma = task && outputs.sigma_min != nullptr;
  if (count == 0 && !wants_sigma) return;

  const FallbackRow* next = workspace.fallback.data();
  const FallbackRow* const last = next + count;
  for (std::int64_t row = begin; row < end; ++row) {
    QuantityBits doubts = 0;
    if (next < last && next->row == row) {
      // Of what was not asked for nothing is stored.
      doubts = next++->quantities & asked.bits();
      const auto issue = DecideRow(plan, outputs, kernels, workspace, row,
                                   QuantitySet(doubts));
      if (issue) issues.push_back(*issue);
    }
    // Rows whose task is in doubt have theirs from the verdict.
    if (wants_sigma && (doubts & Bit(Quantity::kOperationalSpace)) == 0) {
      outputs.sigma_min[row] =
          SmallestSingularValue(plan, kernels, workspace, row);
    }
  }
}

}  // namespace torqued

// Computes a range of rows of a plan on the calling thread.
#pragma once

#include <cstdint>
#include <vector>

#include "core/batch/evaluation_plan.h"
#include "core/batch/row_workspace.h"
#include "core/lanes/block_job.h"

namespace torqued {

/// Rows [begin, end), by the kernels of a target. Appends rows that are not OK
/// to `issues`, in order.
void EvaluateRows(const EvaluationPlan& plan, const EvaluationOutputs& outputs,
                  const LaneKernels& kernels, std::int64_t begin,
                  std::int64_t end, RowWorkspace& workspace,
                  std::vector<RowIssue>& issues);

/// Of what a job wants, what belongs to some quantities.
OutputBits WantedOf(const BlockJob& job, QuantityBits quantities);

/// What the kernels alone make of rows [begin, end): returns how many of them
/// are in doubt and lists these in `doubtful`, which has room for all.
long long RunLanes(const LaneKernels& kernels, const BlockJob& job,
                   std::int64_t begin, std::int64_t end,
                   RowWorkspace& workspace, DoubtfulRow* doubtful);

}  // namespace torqued

// Rows that single precision leaves in doubt, in double precision.
#pragma once

#include "core/batch/evaluation_plan.h"
#include "core/batch/row_workspace.h"
#include "core/lanes/block_job.h"

namespace torqued {

/// Computes the first `count` rows of workspace.doubtful again, gathered into
/// blocks of the double kernels, and stores of each row what was in doubt. A
/// row's numbers are those of a request in double precision, bit by bit,
/// whatever stands beside it. Lists in workspace.doubtful what is in doubt in
/// double precision, too, in the same order; returns how many rows that are.
long long RecomputeInDouble(const EvaluationPlan& plan, const BlockJob& job,
                            const LaneKernels& kernels, RowWorkspace& workspace,
                            long long count);

}  // namespace torqued

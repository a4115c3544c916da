// Rows that the lanes leave undecided.
#pragma once

#include <cstdint>
#include <optional>

#include "core/engine/block_job.h"
#include "core/engine/evaluate_rows.h"
#include "core/engine/evaluation_plan.h"

namespace torqued {

/// Decides in double precision, by one rule each, whether the mass matrix of a
/// row is regular (core/dynamics/pivot_check.h) and what the rank of its task
/// is (core/dynamics/operational_space.h). The numbers are those of the
/// kernels, one state at a time. Stores the results of `quantities`; returns
/// why the row is not OK, if so.
std::optional<RowIssue> DecideRow(const EvaluationPlan& plan,
                                  const EvaluationOutputs& outputs,
                                  const SimdKernels& kernels,
                                  RowWorkspace& workspace, std::int64_t row,
                                  QuantitySet quantities);

/// σ_min of the task of a row whose inputs are finite.
double SmallestSingularValue(const EvaluationPlan& plan,
                             const SimdKernels& kernels,
                             RowWorkspace& workspace, std::int64_t row);

/// Of RowWorkspace::numbers, that a decision takes.
std::int64_t DecisionNumbers(const EvaluationPlan& plan);

}  // namespace torqued

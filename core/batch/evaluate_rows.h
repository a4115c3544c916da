// Computes a range of rows of a plan on the calling thread.
#pragma once

#include <cstdint>
#include <vector>

#include "core/batch/evaluation_plan.h"
#include "core/dynamics/workspace.h"

namespace torqued {

/// What one thread needs to evaluate rows; reused from plan to plan.
struct RowWorkspace {
  Workspace<double> dynamics;
  std::vector<double> q, v, a, tau;  // one state, canonical order
  std::vector<double> result;        // one result, canonical order
  std::vector<double> ordered;       // the same in the caller's order

  /// Allocates only to grow.
  void Reserve(const EvaluationPlan& plan);
};

/// Rows [begin, end). Appends rows that are not OK to `issues`, in order.
void EvaluateRows(const EvaluationPlan& plan, const EvaluationOutputs& outputs,
                  std::int64_t begin, std::int64_t end, RowWorkspace& workspace,
                  std::vector<RowIssue>& issues);

}  // namespace torqued

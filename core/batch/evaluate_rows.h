// Computes a range of rows of a plan on the calling thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/batch/evaluation_plan.h"
#include "core/dynamics/quantities.h"
#include "core/dynamics/workspace.h"
#include "core/lanes/block_job.h"

namespace torqued {

/// What one thread needs to evaluate rows; reused from plan to plan.
struct RowWorkspace {
  Workspace<double> dynamics;
  std::vector<double> q, v, a, tau;  // one state, canonical order
  std::vector<double> result;        // one result, canonical order
  std::vector<double> packed;        // lower half of a symmetric matrix
  std::vector<double> projections;   // of a task
  QuantityScratch<double> quantities{};

  /// Allocates only to grow.
  void Reserve(const EvaluationPlan& plan);
  /// Memory of the lane kernels, aligned to cache lines.
  void ReserveLanes(long long bytes);
  /// Room for rows that the kernels leave in doubt.
  void ReserveDoubtful(std::int64_t rows);

  struct Free {
    void operator()(void* p) const;
  };
  std::unique_ptr<std::byte, Free> quantities_memory;
  std::size_t quantities_bytes = 0;
  std::unique_ptr<std::byte, Free> lanes;
  long long lanes_bytes = 0;
  std::vector<DoubtfulRow> doubtful;
};

/// Rows [begin, end), by the kernels of a target. Appends rows that are not OK
/// to `issues`, in order.
void EvaluateRows(const EvaluationPlan& plan, const EvaluationOutputs& outputs,
                  const LaneKernels& kernels, std::int64_t begin,
                  std::int64_t end, RowWorkspace& workspace,
                  std::vector<RowIssue>& issues);

}  // namespace torqued

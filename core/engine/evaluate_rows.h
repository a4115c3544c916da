// Computes a range of rows of a plan on the calling thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/dynamics/pivot_check.h"
#include "core/engine/block_job.h"
#include "core/engine/evaluation_plan.h"

namespace torqued {

/// The memory of a thread that evaluates rows, reused from plan to plan: it
/// only grows.
struct RowWorkspace {
  /// What an engine keeps from job to job; what has more goes with its job.
  static constexpr std::int64_t kMaxRetainedBytes = 512 << 10;

  /// What the rows of a plan take, whatever their inputs and however many are
  /// in doubt: not less. So it may be asked for before there are rows.
  static std::int64_t BytesFor(const EvaluationPlan& plan,
                               const SimdKernels& kernels);
  /// What it has.
  std::int64_t bytes() const;

  struct alignas(64) CacheLine {
    std::byte bytes[64];
  };
  std::unique_ptr<CacheLine[]> lanes;  // of the kernels
  std::int64_t lanes_bytes = 0;
  std::vector<FallbackRow> fallback;
  // Of a decision on a row.
  PivotScratch pivots;
  std::vector<double> numbers;
};

/// Rows [begin, end), by the kernels of a target. Appends rows that are not OK
/// to `issues`, in order.
void EvaluateRows(const EvaluationPlan& plan, const EvaluationOutputs& outputs,
                  const SimdKernels& kernels, std::int64_t begin,
                  std::int64_t end, RowWorkspace& workspace,
                  std::vector<RowIssue>& issues);

/// What the kernels alone make of rows [begin, end): returns how many of them
/// are in doubt and lists these in `fallback`, which has room for all.
long long RunKernels(const SimdKernels& kernels, const BlockJob& job,
                     std::int64_t begin, std::int64_t end,
                     RowWorkspace& workspace, FallbackRow* fallback);

}  // namespace torqued

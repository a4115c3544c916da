// The memory of a thread that evaluates rows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/batch/evaluation_plan.h"
#include "core/dynamics/pivot_rule.h"
#include "core/lanes/block_job.h"

namespace torqued {

/// Reused from plan to plan.
struct RowWorkspace {
  PivotScratch pivots;
  /// One state by Input, in canonical order.
  std::array<std::vector<double>, kInputCount> inputs;
  std::vector<double> task;  // matrices and vectors of a decision on a task

  std::vector<double>& operator[](Input input) {
    return inputs[static_cast<std::size_t>(input)];
  }

  /// What a thread keeps from job to job. A plan that takes more has workspaces
  /// of its own.
  static constexpr std::int64_t kMostKept = 512 << 10;

  /// Rows in doubt that are listed at a time: whole blocks of any target.
  static constexpr std::int64_t kMostListed = 2048;

  /// What the rows of a plan take, whatever their inputs and however many are
  /// in doubt: not less. So it may be asked for before there are rows.
  static std::int64_t BytesFor(const EvaluationPlan& plan,
                               const LaneKernels& kernels);
  /// What it has.
  std::int64_t bytes() const;
  /// Gives all of it back if that is more than kMostKept.
  void Trim();

  /// Allocates only to grow.
  void Reserve(const EvaluationPlan& plan);
  /// Memory of the lane kernels, aligned to cache lines.
  void ReserveLanes(long long bytes);
  /// Room for rows that the kernels leave in doubt. What was there is gone
  /// where it grows.
  void ReserveDoubtful(std::int64_t rows);

  struct Free {
    void operator()(void* p) const;
  };
  std::unique_ptr<std::byte, Free> lanes;
  long long lanes_bytes = 0;
  std::vector<DoubtfulRow> doubtful;
  std::vector<DoubtfulRow> undecided;  // what double precision leaves of them
  bool grown = false;                  // since the last Trim
};

}  // namespace torqued

// The memory of a thread that evaluates rows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/batch/evaluation_plan.h"
#include "core/dynamics/pivot_rule.h"
#include "core/dynamics/workspace.h"
#include "core/lanes/block_job.h"

namespace torqued {

/// Reused from plan to plan.
struct RowWorkspace {
  Workspace<double> dynamics;
  PivotScratch pivots;
  /// One state by Input, in canonical order.
  std::array<std::vector<double>, kInputCount> inputs;
  std::vector<double> result;       // one result, canonical order
  std::vector<double> packed;       // lower half of a symmetric matrix
  std::vector<double> projections;  // of a task

  std::vector<double>& operator[](Input input) {
    return inputs[static_cast<std::size_t>(input)];
  }

  /// What a thread keeps from job to job. A plan that takes more has workspaces
  /// of its own.
  static constexpr std::int64_t kMostKept = 512 << 10;

  /// Rows in doubt that are listed at a time: whole blocks of any target.
  static constexpr std::int64_t kMostListed = 2048;
  /// The rows in doubt that are gathered at a time take at most so many bytes,
  /// or one block where a block takes more. Some blocks of an arm fit, and all
  /// of it stays in a cache.
  static constexpr std::int64_t kMostGathered = 64 << 10;

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
  /// And for these once more.
  void ReserveGathered(std::size_t bytes);

  struct Free {
    void operator()(void* p) const;
  };
  /// That of the texts of further quantities.
  struct Quantities;
  struct FreeQuantities {
    void operator()(Quantities* p) const;
  };
  int bodies = 0;  // that `dynamics` has room for
  std::unique_ptr<Quantities, FreeQuantities> quantities;
  std::unique_ptr<std::byte, Free> lanes;
  long long lanes_bytes = 0;
  std::vector<DoubtfulRow> doubtful;
  /// Inputs and results of rows that are computed again.
  std::vector<std::byte> gathered;
  bool grown = false;  // since the last Trim
};

}  // namespace torqued

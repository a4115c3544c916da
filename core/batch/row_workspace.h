// The memory of a thread that evaluates rows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/batch/evaluation_plan.h"
#include "core/dynamics/pauses.h"
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

  /// What a thread keeps from job to job: enough for some 50 joints. More is
  /// given back with the job.
  static constexpr std::int64_t kMostKept = 512 << 10;

  /// What the rows of a plan take, whatever their inputs: not less, but for the
  /// few that are put together to be computed again.
  static std::int64_t BytesFor(const EvaluationPlan& plan,
                               const LaneKernels& kernels);
  /// What it has.
  std::int64_t bytes() const;
  /// Gives all of it back where that is more than kMostKept.
  void Trim();

  /// Allocates only to grow.
  void Reserve(const EvaluationPlan& plan);
  /// Memory of the lane kernels, aligned to cache lines.
  void ReserveLanes(long long bytes);
  /// Room for rows that the kernels leave in doubt.
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
  /// Of the rows that are computed now; null: there are none.
  Pauses* pauses = nullptr;
};

}  // namespace torqued

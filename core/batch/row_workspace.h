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

  /// What a thread keeps from job to job. A plan that takes more has workspaces
  /// of its own.
  static constexpr std::int64_t kMostKept = 512 << 10;

  /// Rows in doubt that are listed at a time: whole blocks of any target.
  static constexpr std::int64_t kMostListed = 2048;
  /// The rows in doubt that are gathered at a time take at most so many bytes,
  /// or one block where a block takes more. Some blocks of an arm fit, and all
  /// of it stays in a cache.
  static constexpr std::int64_t kMostGathered = 64 << 10;

  /// Bytes of what is made on its own.
  struct Parts {
    std::int64_t scratch = 0;
    std::int64_t numbers = 0;  // inputs and a result
    std::int64_t packed = 0;
    std::int64_t projections = 0;
    std::int64_t quantities = 0;
    std::int64_t lanes = 0;
    std::int64_t listed = 0;  // rows in doubt
    std::int64_t gathered = 0;

    std::int64_t total() const {
      return scratch + numbers + packed + projections + quantities + lanes +
             listed + gathered;
    }
    bool operator==(const Parts&) const = default;
  };
  /// What the rows of a plan take, whatever their inputs and however many are
  /// in doubt: not less. So it may be asked for before there are rows.
  static std::int64_t BytesFor(const EvaluationPlan& plan,
                               const LaneKernels& kernels);
  /// What its rows take that it has now, of which these outputs are wanted: not
  /// less, and no more than BytesFor.
  static Parts PartsFor(const EvaluationPlan& plan,
                        const EvaluationOutputs& outputs,
                        const LaneKernels& kernels);

  /// What it has.
  Parts parts() const;
  std::int64_t bytes() const { return parts().total(); }
  /// Before rows that need so much. Where what it has is more together with
  /// what these add than kMostKept, it is given back first.
  void MakeRoom(const Parts& needed);
  /// Gives all of it back where that is more than kMostKept.
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
  /// Of the rows that are computed now; null: there are none.
  Pauses* pauses = nullptr;
  /// At the last Trim, and whether it has grown since.
  std::int64_t kept = 0;
  bool grown = false;
};

}  // namespace torqued

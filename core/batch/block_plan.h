// A plan as the lane kernels read it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/batch/evaluation.h"
#include "core/lanes/block_job.h"

namespace torqued {

class EvaluationPlan;

/// What a BlockJob points to, and where results stand in the rows of a plan.
class BlockPlan {
 public:
  BlockPlan() = default;
  explicit BlockPlan(const EvaluationPlan& plan);
  BlockPlan(const BlockPlan&) = delete;
  BlockPlan& operator=(const BlockPlan&) = delete;
  // Pointers are to the heap.
  BlockPlan(BlockPlan&&) = default;
  BlockPlan& operator=(BlockPlan&&) = default;
  ~BlockPlan() = default;

  /// Whether lanes compute this plan: depends on the model and on what is asked
  /// for, never on the rows.
  bool usable() const { return usable_; }

  /// What is computed one state at a time: all if not usable, else what takes
  /// too much memory in lanes. Depends on each quantity alone.
  QuantitySet by_rows() const { return by_rows_; }

  /// Memory that is held, roughly.
  std::int64_t bytes() const { return bytes_; }

  /// Of an output that the plan produces, whether lanes compute it or not.
  const LaneShape& shape(Output output) const {
    return setup_.shapes[static_cast<std::size_t>(output)];
  }

  /// For the plan that this was made from, or a copy; valid as long as both.
  BlockJob Job(const EvaluationPlan& plan,
               const EvaluationOutputs& outputs) const;

 private:
  /// Of the tip, which is set.
  void PrepareFrameScale(const TaskOptions& task);

  bool usable_ = false;
  QuantitySet by_rows_;
  std::int64_t bytes_ = 0;
  BlockSetup setup_{};
  std::vector<int> path_;
  std::vector<int> sliding_;
  std::array<const int*, kInputCount> places_{};  // by input, of the plan
  std::vector<Output> products_;
  std::vector<std::vector<int>> sources_;
};

}  // namespace torqued

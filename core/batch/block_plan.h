// A plan as the lane kernels read it.
#pragma once

#include <cstddef>
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

  /// Of an output that the plan produces, whether lanes compute it or not.
  const LaneShape& shape(Output output) const {
    return setup_.shapes[static_cast<std::size_t>(output)];
  }

  /// For the plan that this was made from, or a copy; valid as long as both.
  BlockJob Job(const EvaluationPlan& plan,
               const EvaluationOutputs& outputs) const;

 private:
  bool usable_ = false;
  BlockSetup setup_{};
  std::vector<int> path_;
  std::vector<Output> products_;
  std::vector<std::vector<int>> sources_;
};

}  // namespace torqued

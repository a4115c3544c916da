// A plan as the lane kernels read it.
#pragma once

#include <vector>

#include "core/batch/evaluation.h"
#include "core/lanes/block_job.h"

namespace torqued {

class EvaluationPlan;

/// What a BlockJob points to, and what of it does not change from call to call.
class BlockPlan {
 public:
  BlockPlan() = default;
  explicit BlockPlan(const EvaluationPlan& plan);

  /// Whether lanes compute this plan: depends on the model and on what is asked
  /// for, never on the rows.
  bool usable() const { return usable_; }

  /// For the plan that this was made from; valid as long as both.
  BlockJob Job(const EvaluationPlan& plan,
               const EvaluationOutputs& outputs) const;

 private:
  /// An output that the plan produces.
  struct Product {
    Output output;
    LaneOutput BlockJob::* lane;
    int columns;
    std::vector<int> sources;  // empty: as the kernels have them
    int symmetric;             // see LaneOutput
  };

  bool usable_ = false;
  BlockJob job_{};  // without pointers to what may move
  std::vector<int> path_;
  std::vector<Product> products_;
};

}  // namespace torqued

// A validated request: what to compute for which rows.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "core/batch/block_plan.h"
#include "core/batch/evaluation.h"
#include "core/dynamics/pivot_scale.h"
#include "core/model/model.h"

namespace torqued {

/// Keeps the model alive; the input memory is the caller's and must outlive the
/// evaluation. Not to be changed while an evaluation is under way. Copies share
/// everything but the states that they are bound to.
class EvaluationPlan {
 public:
  /// Checks everything that does not depend on the states; the plan has no rows
  /// until Rebind gives it some.
  static std::variant<EvaluationPlan, ArgumentError> Create(
      std::shared_ptr<const Model> model, EvaluationOptions options);

  /// Checks everything that does not depend on the numbers in the rows.
  static std::variant<EvaluationPlan, ArgumentError> Create(
      std::shared_ptr<const Model> model, EvaluationOptions options,
      const EvaluationInputs& inputs);

  /// The same quantities and options for other states. After an error the plan
  /// is what it was before. Allocates nothing unless there is an error.
  std::optional<ArgumentError> Rebind(const EvaluationInputs& inputs);

  const Model& model() const { return *checked_->model; }
  const EvaluationOptions& options() const { return checked_->options; }
  const EvaluationInputs& inputs() const { return inputs_; }

  std::int64_t rows() const { return rows_; }
  /// Whether the quantities asked for produce this output.
  bool Produces(Output output) const;
  /// Numbers per row of an output.
  int columns(Output output) const;
  /// The same of an input.
  int ColumnsOf(Input input) const;

  /// The frame that pose, Jacobian, drift, task and tip wrench refer to;
  /// nothing when no quantity or wrench uses one.
  std::optional<int> tip_frame() const {
    return UsesTipFrame(inputs_.tip_wrench.present()) ? checked_->tip_frame
                                                      : std::nullopt;
  }
  /// The same for all states that the plan may be bound to: also where only a
  /// tip wrench, which these states need not have, would use the frame.
  std::optional<int> tip_frame_of_any_states() const {
    return UsesTipFrame(UsesTipWrench()) ? checked_->tip_frame : std::nullopt;
  }

  /// Joint index that stands at place k of the caller's order; empty: k.
  const std::vector<int>& joint_order() const { return checked_->joint_order; }
  /// Column of q (of v) in canonical order for each column of the caller;
  /// empty: the same.
  const std::vector<int>& q_columns() const { return checked_->q_columns; }
  const std::vector<int>& v_columns() const { return checked_->v_columns; }

  /// Of any input: where in canonical order each column of the caller stands;
  /// empty: the same.
  const std::vector<int>& places(Input input) const;

  /// Where the external wrenches act, in the order of the options.
  const std::vector<WrenchPlace>& wrench_places() const {
    return checked_->wrench_places;
  }

  /// The precision that computes: double where single was asked for and the
  /// model needs double or is not for the lanes. In single precision rows and
  /// results are left that are computed in double all the same.
  Precision precision() const { return checked_->precision; }

  /// What pivots of M are compared with; empty where nothing solves with M.
  const PivotScales& pivot_scales() const { return checked_->pivot_scales; }

  /// The same for the lane kernels.
  const BlockPlan& blocks() const { return checked_->blocks; }

  /// Nanoseconds of one core for a row of many: a guess until rows were
  /// measured. All copies of a plan share it.
  std::atomic<double>& cost() const { return checked_->cost; }
  /// For all rows.
  double nanoseconds() const;

  /// Memory that the plan holds beside a model that others share, roughly.
  std::int64_t bytes() const;

 private:
  /// Model and options, and what follows from them alone.
  struct Checked {
    std::shared_ptr<const Model> model;
    EvaluationOptions options;
    /// Named by the options, or the model's; nothing when neither settles it.
    std::optional<int> tip_frame;
    std::vector<int> joint_order;
    std::vector<int> q_columns;
    std::vector<int> v_columns;
    std::vector<WrenchPlace> wrench_places;
    Precision precision = Precision::kDouble;
    PivotScales pivot_scales;
    BlockPlan blocks;
    mutable std::atomic<double> cost = 0;
  };

  explicit EvaluationPlan(std::shared_ptr<const Checked> checked)
      : checked_(std::move(checked)) {}

  bool UsesTipFrame(bool has_wrench) const;
  bool UsesTipWrench() const;
  /// Whether these inputs may stand beside what was asked for.
  std::optional<ArgumentError> CheckUse(const EvaluationInputs& inputs,
                                        std::span<const Input> present) const;

  std::shared_ptr<const Checked> checked_;
  EvaluationInputs inputs_;
  std::int64_t rows_ = 0;
};

}  // namespace torqued

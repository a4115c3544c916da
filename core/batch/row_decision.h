// One row that the lanes leave undecided.
#pragma once

#include <cstdint>
#include <optional>

#include "core/batch/evaluation_plan.h"
#include "core/batch/row_workspace.h"
#include "core/dynamics/pivot_rule.h"
#include "core/lanes/block_job.h"

namespace torqued {

/// Decides in double precision, by one rule each, whether the mass matrix is
/// regular (core/dynamics/pivot_rule.h) and what the rank of the task is
/// (core/dynamics/operational_space.h). The numbers are those of the kernels,
/// one state at a time.
class RowDecision {
 public:
  RowDecision(const EvaluationPlan& plan, const EvaluationOutputs& outputs,
              const LaneKernels& kernels, RowWorkspace& workspace);

  /// Stores the results of `quantities`; why the row is not OK, if so.
  std::optional<RowIssue> Decide(std::int64_t row, QuantitySet quantities);

  /// σ_min of a row whose inputs are finite.
  double SmallestSingularValue(std::int64_t row);

 private:
  bool Has(Quantity quantity) const { return quantities_.Has(quantity); }
  const double* Of(Input input) const;

  /// The gravest issue of a row is the one that is kept.
  void Report(RowIssue issue);
  /// One row of an input into canonical order; false if a number is not
  /// finite.
  bool LoadInput(Input input);

  /// What the kernels make of some quantities in `outputs`.
  void Compute(BlockJob job, QuantityBits quantities);
  /// Of the task: J, and where M is regular, M, h and J̇ q̇.
  void ComputeTermsOfTask(QuantityBits quantities);
  void DecideTask();
  /// From all six rows of the Jacobian.
  TaskRank RankOfTask() const;
  void StoreTask(const double* W, const double* lambda, const double* drift);

  /// The task's rows of the Jacobian to its beginning. They move by way of Y,
  /// since their order is the caller's.
  void MoveTaskRows();

  void ReportSingularMass(Output output);
  void ReportNotFinite(Output output);

  /// `values` as the kernels offer them; see LaneShape.
  void Store(Output output, const double* values);
  /// The lower half of a symmetric s x s matrix.
  void StoreSymmetric(Output output, int s, const double* matrix);
  void StoreNaN(QuantityBits quantities);
  void StoreNaN(Output output);
  void StoreDiagnostics(const TaskDiagnostics& diagnostics);

  const EvaluationPlan& plan_;
  const EvaluationOutputs& outputs_;
  const LaneKernels& kernels_;
  RowWorkspace& workspace_;
  Scratch<double>& scratch_;
  Tree tree_;
  QuantitySet quantities_;
  std::int64_t row_ = 0;
  std::optional<RowIssue> issue_;
  PivotVerdict mass_;
};

}  // namespace torqued

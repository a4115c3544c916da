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

  /// Numbers that a decision on the plan's task takes, in
  /// RowWorkspace::task.
  static std::int64_t TaskNumbers(const EvaluationPlan& plan);

  /// Stores the results of `quantities`; why the row is not OK, if so.
  std::optional<RowIssue> Decide(std::int64_t row, QuantitySet quantities);

  /// σ_min of a row whose inputs are finite.
  double SmallestSingularValue(std::int64_t row);

 private:
  struct TaskTerms;

  bool Has(Quantity quantity) const { return quantities_.Has(quantity); }
  const double* Of(Input input) const;

  /// The gravest issue of a row is the one that is kept.
  void Report(RowIssue issue);
  /// One row of an input into canonical order; false if a number is not
  /// finite.
  bool LoadInput(Input input);

  /// What the kernels make of some quantities in `outputs`.
  void Compute(BlockJob job, QuantityBits quantities);
  /// Of the task: J, and if M is regular, M, bias forces and J̇ q̇.
  void ComputeTermsOfTask(TaskTerms& terms, QuantityBits quantities);
  void DecideTask();
  TaskRank RankOfTask(const TaskTerms& terms) const;
  /// W, J̄, N and the torques, from Λ.
  void StoreTask(TaskTerms& terms, const double* W, const double* lambda);

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
  const int n_;
  QuantitySet quantities_;
  std::int64_t row_ = 0;
  std::optional<RowIssue> issue_;
  PivotVerdict mass_;
};

}  // namespace torqued

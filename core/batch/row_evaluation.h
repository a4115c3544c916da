// One row of a plan by the general texts.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/batch/evaluation_plan.h"
#include "core/batch/row_workspace.h"
#include "core/dynamics/rnea.h"
#include "core/dynamics/scratch.h"

namespace torqued {

/// One row of a plan, from inputs to outputs, by the general texts: they judge
/// the rows that the lane kernels leave in doubt, and compute what is not for
/// lanes.
class RowEvaluation {
 public:
  /// `quantities`: those of the plan that are wanted.
  RowEvaluation(const EvaluationPlan& plan, const EvaluationOutputs& outputs,
                RowWorkspace& workspace, QuantitySet quantities);

  /// Stores the results; why the row is not OK, if so.
  std::optional<RowIssue> Evaluate(std::int64_t row);

  /// σ_min of a row whose inputs are finite.
  double SmallestSingularValue(std::int64_t row);

 private:
  const double* v() const;
  const double* a() const;
  bool Has(Quantity quantity) const { return quantities_.Has(quantity); }

  /// The gravest issue of a row is the one that is kept.
  void Report(RowIssue issue);

  /// One row of an input into canonical order; false if a number is not
  /// finite.
  bool LoadInput(Input input, const InputArray& array,
                 const std::vector<int>& columns, double* values);
  bool LoadInputs();
  /// Into scratch.W, as it acts on the tip's body.
  void LoadTipWrench();
  DynamicsTerms TermsWithoutWrench() const;
  /// What takes a general text and no decision.
  void GeneralOutputs();
  /// What solves with a mass matrix that has no inverse.
  void ReportSolutions(QuantityBits quantities, int joint);
  void InverseDynamicsOutput();
  void ForwardDynamicsOutput();

  /// V̇ = J q̈ + J̇ q̇ of the tip.
  void ForwardFrameAcceleration(const double* a);

  /// Joint whose articulated pivot says that it moves no mass, or -1. The
  /// inertia to compare with is found only when a pivot looks small.
  int MasslessJoint();
  void KinematicOutputs();
  void MassMatrixAndTaskOutputs();
  void TaskOutputs();

  /// J̄ and N from the task's rows of the Jacobian, the factors of M and Λ.
  void StoreTaskProjections(const double* lambda);

  /// The task's rows of the Jacobian to its beginning. They move by way of Y,
  /// since their order is the caller's.
  void MoveTaskRows();

  /// M into L D Lᵀ; the joint of a vanishing pivot, or -1.
  int FactorMassMatrix();
  void ReportSingularMass(Output output, int joint, double pivot);

  const OutputArray& array(Output output) const { return outputs_[output]; }

  /// `values` as the kernels offer them, `count` numbers; see LaneShape.
  void Store(Output output, const double* values, int count);

  /// The lower half of a symmetric s x s matrix.
  void StoreSymmetric(Output output, int s, const double* matrix);
  void StoreNaN(Output output);
  /// Everything of the plan, where an input is not finite.
  void StoreUndefined();
  void StoreDiagnostics(const TaskDiagnostics& diagnostics);

  const EvaluationPlan& plan_;
  const EvaluationOutputs& outputs_;
  RowWorkspace& workspace_;
  Scratch<double>& scratch_;
  Tree tree_;
  QuantitySet quantities_;
  DynamicsTerms terms_{};
  const BodyFrame* tip_ = nullptr;
  std::int64_t row_ = 0;
  std::optional<RowIssue> issue_;
  double wrench_[6] = {};
  double drift_[6] = {};
  double pivot_ = 0;
};

}  // namespace torqued

// One row of a plan by the general texts.
#pragma once

#include <cstdint>
#include <optional>

#include "core/batch/evaluation_plan.h"
#include "core/batch/input_groups.h"
#include "core/batch/row_workspace.h"
#include "core/dynamics/applied_wrenches.h"
#include "core/dynamics/base_motion.h"
#include "core/dynamics/pivot_rule.h"
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
  /// Null where it is absent, or not taken by the quantities under way.
  const double* Of(Input input) const;
  const double* v() const { return Of(Input::kV); }
  const double* a() const { return Of(Input::kA); }
  bool Has(Quantity quantity) const { return quantities_.Has(quantity); }

  /// The gravest issue of a row is the one that is kept.
  void Report(RowIssue issue);

  /// One row of an input into canonical order; false if a number is not
  /// finite.
  bool LoadInput(Input input);
  bool LoadInputs();

  /// After the inputs and the placements of the bodies.
  void EvaluateGroup(const InputGroup& group);
  void LoadBaseMotion();
  /// Into scratch.W, as they act on the bodies.
  void LoadWrenches();
  DynamicsTerms TermsWithoutWrench() const;
  /// What takes a general text and no decision.
  void GeneralOutputs();
  /// Whether M has an inverse, where anything solves with it.
  void JudgeMassMatrix();
  /// What solves with a mass matrix that has no inverse.
  void ReportSolutions(QuantityBits quantities);
  void InverseDynamicsOutput();
  void ForwardDynamicsOutput();

  /// V̇ = J q̈ + J̇ q̇ of the tip.
  void ForwardFrameAcceleration(const double* a);

  void KinematicOutputs();
  void MassMatrixAndTaskOutputs();
  void TaskOutputs();
  /// The first result of the task that is wanted.
  Output TaskOutput() const;

  /// J̄ and N from the task's rows of the Jacobian, the factors of M and Λ.
  void StoreTaskProjections(const double* lambda);

  /// From the task's rows of the Jacobian, its drift, the factors of M and Λ.
  void StoreTaskTorque(const double* drift, const double* lambda);

  /// The task's rows of the Jacobian to its beginning. They move by way of Y,
  /// since their order is the caller's.
  void MoveTaskRows();

  void ReportSingularMass(Output output);

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
  const QuantitySet asked_;
  const InputGroups groups_;
  QuantitySet quantities_;  // of the group under way
  InputBits absent_ = 0;    // what they do not take
  DynamicsTerms terms_{};
  const BodyFrame* tip_ = nullptr;
  std::int64_t row_ = 0;
  std::optional<RowIssue> issue_;
  AppliedWrenches<double> wrenches_;
  WrenchPlace tip_wrench_{};
  BaseMotion<double> base_motion_{};
  const BaseMotion<double>* base_ = nullptr;  // null: at rest
  double drift_[6] = {};
  PivotVerdict mass_;
};

}  // namespace torqued

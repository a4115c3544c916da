#include "core/batch/row_evaluation.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "core/batch/input_groups.h"
#include "core/batch/quantity_needs.h"
#include "core/batch/row_quantities.h"
#include "core/dynamics/aba.h"
#include "core/dynamics/crba.h"
#include "core/dynamics/frame_scale.h"
#include "core/dynamics/jacobian.h"
#include "core/dynamics/kinematics.h"
#include "core/dynamics/ldlt.h"
#include "core/dynamics/link_motion.h"
#include "core/dynamics/rnea.h"
#include "core/dynamics/task_mobility.h"
#include "core/dynamics/task_projection.h"
#include "core/dynamics/task_torque.h"

namespace torqued {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double LoadNumber(const InputArray& array, std::int64_t index) {
  const char* at =
      static_cast<const char*>(array.data) + index * SizeOf(array.type);
  if (array.type == NumberType::kF64) {
    double value;
    std::memcpy(&value, at, sizeof(value));
    return value;
  }
  float value;
  std::memcpy(&value, at, sizeof(value));
  return static_cast<double>(value);
}

/// Column k is values[sources[k]]; null: values[k]. The table need not be
/// aligned.
template <class Number>
void StoreNumbers(const LaneShape& shape, const double* values, char* row) {
  for (int k = 0; k < shape.columns; ++k, row += sizeof(Number)) {
    const auto number =
        static_cast<Number>(values[shape.sources ? shape.sources[k] : k]);
    std::memcpy(row, &number, sizeof(number));
  }
}

void StoreRow(const OutputArray& array, const LaneShape& shape,
              std::int64_t row, const double* values) {
  char* at =
      static_cast<char*>(array.data) + row * shape.columns * SizeOf(array.type);
  if (array.type == NumberType::kF64) {
    StoreNumbers<double>(shape, values, at);
  } else {
    StoreNumbers<float>(shape, values, at);
  }
}

bool AllFinite(NumberType type, int count, const double* values) {
  // Beyond this a number rounds to infinity in single precision.
  constexpr double kFloatLimit = 3.4028235677973366e38;
  const double limit = type == NumberType::kF32
                           ? kFloatLimit
                           : std::numeric_limits<double>::infinity();
  return std::all_of(values, values + count,
                     [limit](double value) { return std::abs(value) < limit; });
}

template <class Number>
void FillNaN(char* at, int columns) {
  constexpr auto kNumber = static_cast<Number>(kNaN);
  for (int k = 0; k < columns; ++k, at += sizeof(kNumber)) {
    std::memcpy(at, &kNumber, sizeof(kNumber));
  }
}

}  // namespace

RowEvaluation::RowEvaluation(const EvaluationPlan& plan,
                             const EvaluationOutputs& outputs,
                             RowWorkspace& workspace, QuantitySet quantities)
    : plan_(plan),
      outputs_(outputs),
      workspace_(workspace),
      scratch_(workspace.dynamics.scratch()),
      tree_(plan.model().tree()),
      asked_(quantities),
      groups_(plan.inputs(), quantities) {
  const Terms& terms = plan.options().terms;
  terms_.viscous_friction = terms.viscous_friction;
  terms_.coulomb_friction = terms.coulomb_friction;
  terms_.coulomb_smoothing = terms.coulomb_smoothing;
  terms_.external_wrenches = false;
  if (plan.tip_frame()) {
    tip_ = &plan.model()
                .frames()[static_cast<std::size_t>(*plan.tip_frame())]
                .placement;
  }
}

std::optional<RowIssue> RowEvaluation::Evaluate(std::int64_t row) {
  row_ = row;
  issue_.reset();
  if (!LoadInputs()) {
    StoreUndefined();
    return issue_;
  }
  ComputePlacements(tree_, Of(Input::kQ), scratch_);
  ComputeWorldPlacements(tree_, scratch_);
  for (const InputGroup& group : groups_.all()) EvaluateGroup(group);
  return issue_;
}

void RowEvaluation::EvaluateGroup(const InputGroup& group) {
  quantities_ = group.quantities;
  absent_ = kInputsOfGeneralTexts & ~group.taken;
  LoadBaseMotion();
  LoadWrenches();
  JudgeMassMatrix();
  GeneralOutputs();
  InverseDynamicsOutput();
  ForwardDynamicsOutput();
  KinematicOutputs();
  MassMatrixAndTaskOutputs();
}

double RowEvaluation::SmallestSingularValue(std::int64_t row) {
  row_ = row;
  LoadInputs();
  ComputePlacements(tree_, Of(Input::kQ), scratch_);
  ComputeWorldPlacements(tree_, scratch_);
  FrameJacobian(tree_, *tip_, plan_.options().reference_frame, scratch_,
                scratch_.J);
  MoveTaskRows();
  return SmallestTaskSingularValue(plan_.options().task, tree_.n, scratch_.J,
                                   scratch_.Y);
}

const double* RowEvaluation::Of(Input input) const {
  const bool taken = (absent_ & Bit(input)) == 0;
  return taken && plan_.inputs()[input].present() ? workspace_[input].data()
                                                  : nullptr;
}

void RowEvaluation::Report(RowIssue issue) {
  issue.row = row_;
  if (!issue_ || issue.code < issue_->code) issue_ = issue;
}

bool RowEvaluation::LoadInput(Input input) {
  const InputArray& array = plan_.inputs()[input];
  if (!array.present()) return true;
  const std::vector<int>& places = plan_.places(input);
  double* const values = workspace_[input].data();
  const std::int64_t row = array.rows == 1 ? 0 : row_;
  for (int k = 0; k < array.columns; ++k) {
    const double value = LoadNumber(array, row * array.columns + k);
    if (!std::isfinite(value)) {
      RowIssue issue;
      issue.code = RowCode::kInvalidInput;
      issue.input = input;
      issue.column = k;
      issue.value = value;
      Report(issue);
      return false;
    }
    values[places.empty() ? k : places[static_cast<std::size_t>(k)]] = value;
  }
  return true;
}

bool RowEvaluation::LoadInputs() {
  for (int k = 0; k < kInputCount; ++k) {
    if (!LoadInput(static_cast<Input>(k))) return false;
  }
  return true;
}

void RowEvaluation::LoadBaseMotion() {
  const auto twist = [this](Input input) {
    const double* const x = Of(input);
    if (x == nullptr) return Twist<double>::Zero();
    return Twist<double>{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
  };
  base_motion_ = {twist(Input::kBaseTwist), twist(Input::kBaseAcceleration)};
  const double* const g = Of(Input::kGravity);
  if (g != nullptr) {
    base_motion_.g = Vec3<double>::Constant(g);
    std::fill_n(terms_.gravity, 3, 0.0);
  } else {
    std::copy_n(plan_.options().terms.gravity->begin(), 3, terms_.gravity);
  }
  const bool moves = g != nullptr || Of(Input::kBaseTwist) != nullptr ||
                     Of(Input::kBaseAcceleration) != nullptr;
  base_ = moves ? &base_motion_ : nullptr;
}

void RowEvaluation::LoadWrenches() {
  wrenches_ = {};
  if (const double* const numbers = Of(Input::kTipWrench);
      numbers != nullptr && tip_->body != kBase) {
    tip_wrench_ = {*tip_, plan_.options().wrench_frame};
    wrenches_.on_environment = {&tip_wrench_, 1, numbers};
  }
  if (const double* const numbers = Of(Input::kExternalWrenches)) {
    const std::vector<WrenchPlace>& places = plan_.wrench_places();
    wrenches_.on_robot = {places.data(), static_cast<int>(places.size()),
                          numbers};
  }
  terms_.external_wrenches = wrenches_.any();
  if (wrenches_.any()) ApplyWrenches(tree_, wrenches_, scratch_);
}

DynamicsTerms RowEvaluation::TermsWithoutWrench() const {
  DynamicsTerms terms = terms_;
  terms.external_wrenches = false;
  return terms;
}

void RowEvaluation::JudgeMassMatrix() {
  mass_ = {};
  if (!quantities_.HasAny(kQuantitiesOfTheInverse)) return;
  mass_ = JudgePivots(tree_, plan_.pivot_scales(), Of(Input::kQ), scratch_,
                      workspace_.pivots);
}

void RowEvaluation::GeneralOutputs() {
  QuantityBits wanted = quantities_.bits() & kGeneralQuantities;
  if (wanted == 0) return;
  if (!mass_.regular()) {
    ReportSolutions(wanted & kGeneralSolutions);
    wanted &= ~kGeneralSolutions;
  }
  double* acceleration = workspace_.result.data();
  if ((wanted & Bit(Quantity::kForwardDynamicsDerivatives)) != 0) {
    ForwardDynamics(tree_, terms_, v(), Of(Input::kTau), scratch_, acceleration,
                    base_);
  }
  const QuantityInputs<double> in = {
      tree_,     terms_, tip_,        plan_.options().reference_frame, v(), a(),
      wrenches_, base_,  acceleration};
  ComputeQuantities(wanted, in, scratch_, workspace_.quantities->scratch,
                    [this](Output output, const double* values, int count) {
                      Store(output, values, count);
                    });
}

void RowEvaluation::ReportSolutions(QuantityBits quantities) {
  for (int k = 0; k < kOutputCount; ++k) {
    const auto output = static_cast<Output>(k);
    if ((quantities & Bit(QuantityOf(output))) == 0) continue;
    ReportSingularMass(output);
    StoreNaN(output);
  }
}

void RowEvaluation::InverseDynamicsOutput() {
  if (!Has(Quantity::kInverseDynamics)) return;
  double* tau = workspace_.result.data();
  InverseDynamics(tree_, terms_, v(), a(), scratch_, tau, base_);
  Store(Output::kTau, tau, tree_.n);
}

void RowEvaluation::ForwardDynamicsOutput() {
  const bool frame = Has(Quantity::kForwardFrameAcceleration);
  if (!Has(Quantity::kForwardDynamics) && !frame) return;
  if (!mass_.regular()) {
    ReportSingularMass(Has(Quantity::kForwardDynamics)
                           ? Output::kAcceleration
                           : Output::kForwardFrameAcceleration);
    StoreNaN(Output::kAcceleration);
    StoreNaN(Output::kForwardFrameAcceleration);
    return;
  }
  double* a = workspace_.result.data();
  ForwardDynamics(tree_, terms_, v(), Of(Input::kTau), scratch_, a, base_);
  Store(Output::kAcceleration, a, tree_.n);
  if (frame) ForwardFrameAcceleration(a);
}

void RowEvaluation::ForwardFrameAcceleration(const double* a) {
  const ReferenceFrame reference = plan_.options().reference_frame;
  double acceleration[6] = {};
  if (v() != nullptr || base_ != nullptr) {
    FrameDrift(tree_, *tip_, reference, v(), scratch_, acceleration, base_);
  }
  FrameJacobian(tree_, *tip_, reference, scratch_, scratch_.J);
  for (int k = 0; k < 6; ++k) {
    for (int j = 0; j < tree_.n; ++j) {
      acceleration[k] += scratch_.J[k * tree_.n + j] * a[j];
    }
  }
  Store(Output::kForwardFrameAcceleration, acceleration, 6);
}

void RowEvaluation::KinematicOutputs() {
  const ReferenceFrame reference = plan_.options().reference_frame;
  if (Has(Quantity::kFramePose)) {
    const Transform<double> T = FramePlacement(tree_, *tip_, scratch_);
    const double pose[12] = {T.R.c0.x, T.R.c1.x, T.R.c2.x, T.p.x,
                             T.R.c0.y, T.R.c1.y, T.R.c2.y, T.p.y,
                             T.R.c0.z, T.R.c1.z, T.R.c2.z, T.p.z};
    Store(Output::kPose, pose, 12);
  }
  const bool task = quantities_.HasAny(kQuantitiesOfTheTask);
  if (Has(Quantity::kJacobian) || task) {
    FrameJacobian(tree_, *tip_, reference, scratch_, scratch_.J);
  }
  if (Has(Quantity::kJacobian))
    Store(Output::kJacobian, scratch_.J, 6 * tree_.n);
  if (Has(Quantity::kJacobianDrift) || task) {
    std::fill_n(drift_, 6, 0.0);
    if (v() != nullptr || base_ != nullptr) {
      FrameDrift(tree_, *tip_, reference, v(), scratch_, drift_, base_);
    }
  }
  if (Has(Quantity::kJacobianDrift)) Store(Output::kJacobianDrift, drift_, 6);
}

void RowEvaluation::MassMatrixAndTaskOutputs() {
  const bool task = quantities_.HasAny(kQuantitiesOfTheTask);
  if (Has(Quantity::kBiasForces) || task) {
    InverseDynamics(tree_, TermsWithoutWrench(), v(),
                    static_cast<const double*>(nullptr), scratch_, scratch_.h,
                    base_);
  }
  if (Has(Quantity::kBiasForces)) {
    Store(Output::kBias, scratch_.h, tree_.n);
  }
  if (Has(Quantity::kMassMatrix) || task) {
    MassMatrix(tree_, scratch_, scratch_.M);
  }
  if (Has(Quantity::kMassMatrix))
    StoreSymmetric(Output::kMassMatrix, tree_.n, scratch_.M);
  if (task) TaskOutputs();
}

void RowEvaluation::TaskOutputs() {
  const TaskOptions& task = plan_.options().task;
  const int m = task.axis_count, n = tree_.n;
  const FrameScale frame = ScaleOfFrame(
      tree_, *tip_, plan_.options().reference_frame, Of(Input::kQ), scratch_.J);
  MoveTaskRows();
  double drift[6];
  for (int i = 0; i < m; ++i) {
    drift[i] = drift_[task.axes[static_cast<std::size_t>(i)]];
  }

  double W[36], r[6], lambda[36], eta[6];
  const bool regular = mass_.regular();
  if (regular) {
    FactorLdlt(n, scratch_.M);
    TaskMobility(m, n, scratch_.J, scratch_.M, scratch_.h, drift, scratch_.Y, W,
                 r);
  }
  const TaskDiagnostics diagnostics =
      SolveTask(task, tree_, frame, scratch_.J, regular ? W : nullptr, r,
                scratch_.Y, lambda, eta);
  if (!regular) {
    ReportSingularMass(TaskOutput());
  } else if (diagnostics.rule != TaskRule::kFullRank) {
    RowIssue issue;
    issue.code = RowCode::kSingularTaskSpace;
    issue.output = TaskOutput();
    issue.value = diagnostics.sigma_min;
    issue.rank = diagnostics.rank;
    Report(issue);
  } else if (diagnostics.weak) {
    RowIssue issue;
    issue.code = RowCode::kWeakTaskSpace;
    issue.output = TaskOutput();
    issue.value = diagnostics.share;
    Report(issue);
  }
  if (!regular) {
    for (const Output output :
         {Output::kLambda, Output::kEta, Output::kMobility,
          Output::kConsistentInverse, Output::kNullSpaceProjector,
          Output::kTaskTorque}) {
      StoreNaN(output);
    }
  } else {
    StoreSymmetric(Output::kLambda, m, lambda);
    Store(Output::kEta, eta, m);
    if (Has(Quantity::kTaskProjection)) {
      StoreSymmetric(Output::kMobility, m, W);
      StoreTaskProjections(lambda);
    }
    if (Has(Quantity::kTaskTorque)) StoreTaskTorque(drift, lambda);
  }
  if (Has(Quantity::kOperationalSpace)) StoreDiagnostics(diagnostics);
}

Output RowEvaluation::TaskOutput() const {
  if (Has(Quantity::kOperationalSpace)) return Output::kLambda;
  return Has(Quantity::kTaskProjection) ? Output::kMobility
                                        : Output::kTaskTorque;
}

void RowEvaluation::StoreTaskProjections(const double* lambda) {
  const int m = plan_.options().task.axis_count, n = tree_.n;
  double* const J_bar = workspace_.projections.data();
  double* const N = J_bar + m * n;
  DynamicallyConsistentInverse(m, n, scratch_.J, scratch_.M, lambda, scratch_.u,
                               J_bar);
  Store(Output::kConsistentInverse, J_bar, n * m);
  NullSpaceProjector(m, n, scratch_.J, J_bar, N);
  Store(Output::kNullSpaceProjector, N, n * n);
}

void RowEvaluation::StoreTaskTorque(const double* drift, const double* lambda) {
  double* const tau = workspace_.result.data();
  InverseDynamics(tree_, terms_, v(), static_cast<const double*>(nullptr),
                  scratch_, scratch_.h, base_);
  TaskTorque(plan_.options().task.axis_count, tree_.n, scratch_.J, scratch_.M,
             lambda, scratch_.h, drift, Of(Input::kTaskAcceleration),
             Of(Input::kNullSpaceTorque), scratch_.u, tau);
  Store(Output::kTaskTorque, tau, tree_.n);
}

void RowEvaluation::MoveTaskRows() {
  const TaskOptions& task = plan_.options().task;
  const int m = task.axis_count, n = tree_.n;
  double* rows = scratch_.Y;
  for (int i = 0; i < m; ++i) {
    const int axis = task.axes[static_cast<std::size_t>(i)];
    std::copy_n(scratch_.J + axis * n, n, rows + i * n);
  }
  std::copy_n(rows, m * n, scratch_.J);
}

void RowEvaluation::ReportSingularMass(Output output) {
  RowIssue issue;
  issue.code = RowCode::kSingularMassMatrix;
  issue.output = output;
  issue.column = mass_.joint;
  issue.value = mass_.pivot;
  Report(issue);
}

void RowEvaluation::Store(Output output, const double* values, int count) {
  const OutputArray& out = array(output);
  if (!Has(QuantityOf(output)) || out.data == nullptr || count == 0) return;
  if (!AllFinite(out.type, count, values)) {
    RowIssue issue;
    issue.code = RowCode::kNotFiniteResult;
    issue.output = output;
    issue.value = kNaN;
    Report(issue);
    StoreNaN(output);
    return;
  }
  StoreRow(out, plan_.blocks().shape(output), row_, values);
}

void RowEvaluation::StoreSymmetric(Output output, int s, const double* matrix) {
  double* packed = workspace_.packed.data();
  for (int i = 0; i < s; ++i) {
    packed = std::copy_n(matrix + i * s, i + 1, packed);
  }
  Store(output, workspace_.packed.data(), s * (s + 1) / 2);
}

void RowEvaluation::StoreNaN(Output output) {
  const OutputArray& out = array(output);
  if (!Has(QuantityOf(output)) || out.data == nullptr) return;
  const int columns = plan_.columns(output);
  char* const at =
      static_cast<char*>(out.data) + row_ * columns * SizeOf(out.type);
  if (out.type == NumberType::kF64) {
    FillNaN<double>(at, columns);
  } else {
    FillNaN<float>(at, columns);
  }
}

void RowEvaluation::StoreUndefined() {
  quantities_ = asked_;
  for (int k = 0; k < kOutputCount; ++k) {
    const Output output = static_cast<Output>(k);
    StoreNaN(output);
  }
  TaskDiagnostics undefined;
  undefined.sigma_min = kNaN;
  if (Has(Quantity::kOperationalSpace)) StoreDiagnostics(undefined);
}

void RowEvaluation::StoreDiagnostics(const TaskDiagnostics& diagnostics) {
  if (outputs_.rank != nullptr) {
    outputs_.rank[row_] = static_cast<std::uint32_t>(diagnostics.rank);
  }
  if (outputs_.sigma_min != nullptr) {
    outputs_.sigma_min[row_] = diagnostics.sigma_min;
  }
  if (outputs_.rule != nullptr) outputs_.rule[row_] = diagnostics.rule;
}

}  // namespace torqued

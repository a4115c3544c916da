#include "core/batch/row_decision.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/batch/evaluate_rows.h"
#include "core/dynamics/kinematics-inl.h"
#include "core/dynamics/ldlt-inl.h"
#include "core/dynamics/operational_space.h"
#include "core/dynamics/task_mobility-inl.h"
#include "core/dynamics/task_projection-inl.h"
#include "core/dynamics/task_torque-inl.h"

namespace torqued {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double LoadNumber(const void* table, NumberType type, std::int64_t index) {
  const char* at = static_cast<const char*>(table) + index * SizeOf(type);
  if (type == NumberType::kF64) {
    double value;
    std::memcpy(&value, at, sizeof(value));
    return value;
  }
  float value;
  std::memcpy(&value, at, sizeof(value));
  return static_cast<double>(value);
}

void StoreNumber(double value, void* table, NumberType type,
                 std::int64_t index) {
  char* at = static_cast<char*>(table) + index * SizeOf(type);
  if (type == NumberType::kF64) {
    std::memcpy(at, &value, sizeof(value));
  } else {
    const auto single = static_cast<float>(value);
    std::memcpy(at, &single, sizeof(single));
  }
}

/// f(Output) for all of some quantities.
template <class Function>
void ForOutputs(QuantityBits quantities, const Function& f) {
  for (int k = 0; k < kOutputCount; ++k) {
    const auto output = static_cast<Output>(k);
    if ((quantities & Bit(QuantityOf(output))) != 0) f(output);
  }
}

}  // namespace

RowDecision::RowDecision(const EvaluationPlan& plan,
                         const EvaluationOutputs& outputs,
                         const LaneKernels& kernels, RowWorkspace& workspace)
    : plan_(plan),
      outputs_(outputs),
      kernels_(*kernels.one_lane),
      workspace_(workspace),
      scratch_(workspace.dynamics.scratch()),
      tree_(plan.model().tree()) {}

std::optional<RowIssue> RowDecision::Decide(std::int64_t row,
                                            QuantitySet quantities) {
  row_ = row;
  quantities_ = quantities;
  issue_.reset();
  mass_ = {};
  for (int k = 0; k < kInputCount; ++k) {
    if (LoadInput(static_cast<Input>(k))) continue;
    StoreNaN(quantities.bits());
    TaskDiagnostics undefined;
    undefined.sigma_min = kNaN;
    StoreDiagnostics(undefined);
    return issue_;
  }
  const QuantityBits of_task = kTaskQuantities;
  QuantityBits computed = quantities.bits() & ~of_task;
  if (quantities.HasAny(kSolvesMassMatrix)) {
    ComputePlacements(tree_, Of(Input::kQ), scratch_);
    mass_ = JudgePivots(tree_, plan_.pivot_scales(), Of(Input::kQ), scratch_,
                        workspace_.pivots);
    if (!mass_.regular()) {
      const QuantityBits solved = quantities.bits() & kSolvesMassMatrix;
      computed &= ~solved;
      ForOutputs(solved, [this](Output output) { ReportSingularMass(output); });
      StoreNaN(solved);
    }
  }
  Compute(plan_.Job(outputs_), computed);
  if (quantities.HasAny(kTaskQuantities)) DecideTask();
  return issue_;
}

double RowDecision::SmallestSingularValue(std::int64_t row) {
  row_ = row;
  ComputeTermsOfTask(Bit(Quantity::kJacobian));
  return RankOfTask().sigma_min;
}

const double* RowDecision::Of(Input input) const {
  return plan_.inputs()[input].present() ? workspace_[input].data() : nullptr;
}

void RowDecision::Report(RowIssue issue) {
  issue.row = row_;
  if (!issue_ || issue.code < issue_->code) issue_ = issue;
}

bool RowDecision::LoadInput(Input input) {
  const InputArray& array = plan_.inputs()[input];
  if (!array.present()) return true;
  const std::vector<int>& permutation = plan_.input_permutation(input);
  double* const values = workspace_[input].data();
  const std::int64_t row = array.rows == 1 ? 0 : row_;
  for (int k = 0; k < array.columns; ++k) {
    const double value =
        LoadNumber(array.data, array.type, row * array.columns + k);
    if (!std::isfinite(value)) {
      RowIssue issue;
      issue.code = RowCode::kInvalidInput;
      issue.input = input;
      issue.column = k;
      issue.value = value;
      Report(issue);
      return false;
    }
    values[permutation.empty() ? k : permutation[static_cast<std::size_t>(k)]] =
        value;
  }
  return true;
}

void RowDecision::Compute(BlockJob job, QuantityBits quantities) {
  job.single_precision = false;
  job.streaming_stores = false;
  job.task = false;
  job.wanted = 0;
  ForOutputs(quantities, [&](Output output) {
    if (outputs_[output].data != nullptr) job.wanted |= Bit(output);
  });
  if (job.wanted == 0) return;
  DoubtfulRow ignored;  // the verdict is out
  RunLanes(kernels_, job, row_, row_ + 1, workspace_, &ignored);
  ForOutputs(quantities, [this](Output output) {
    const OutputArray& out = outputs_[output];
    if (out.data == nullptr) return;
    const std::int64_t columns = plan_.columns(output);
    for (std::int64_t k = 0; k < columns; ++k) {
      if (!std::isfinite(LoadNumber(out.data, out.type, row_ * columns + k))) {
        return ReportNotFinite(output);
      }
    }
  });
}

void RowDecision::ComputeTermsOfTask(QuantityBits quantities) {
  BlockJob job = plan_.JobOfInputs();
  BlockSetup setup = *job.setup;
  job.setup = &setup;
  job.single_precision = false;
  job.inputs[static_cast<std::size_t>(Input::kA)] = {};
  job.task = false;
  const int n = tree_.n;
  const auto add = [&](Output output, int columns, double* to) {
    if ((quantities & Bit(QuantityOf(output))) == 0) return;
    job.wanted |= Bit(output);
    job.outputs[static_cast<std::size_t>(output)] = {to, false};
    setup.shapes[static_cast<std::size_t>(output)] = {columns, nullptr, 0};
  };
  add(Output::kJacobian, 6 * n, scratch_.J);
  add(Output::kJacobianDrift, 6, workspace_.drift);
  add(Output::kMassMatrix, n * (n + 1) / 2, workspace_.packed.data());
  add(Output::kBias, n, scratch_.h);
  add(Output::kTau, n, scratch_.d);
  for (LaneInput& input : job.inputs) {
    if (input.data == nullptr || input.one_row) continue;
    const std::int64_t number = input.f32 ? 4 : 8;
    input.data =
        static_cast<const char*>(input.data) + row_ * input.columns * number;
    input.one_row = true;
  }
  DoubtfulRow ignored;
  RunLanes(kernels_, job, 0, 1, workspace_, &ignored);
}

void RowDecision::DecideTask() {
  const TaskOptions& task = plan_.options().task;
  const int m = task.axis_count, n = tree_.n;
  const bool regular = mass_.regular();
  QuantityBits terms = Bit(Quantity::kJacobian);
  if (regular) {
    terms |= Bit(Quantity::kJacobianDrift) | Bit(Quantity::kMassMatrix) |
             Bit(Quantity::kBiasForces);
    if (Has(Quantity::kTaskTorque)) terms |= Bit(Quantity::kInverseDynamics);
  }
  ComputeTermsOfTask(terms);
  const TaskRank rank = RankOfTask();
  MoveTaskRows();

  double W[36], r[6], drift[6] = {}, lambda[36], eta[6];
  if (regular) {
    for (int i = 0; i < m; ++i) {
      drift[i] = workspace_.drift[task.axes[static_cast<std::size_t>(i)]];
    }
    const double* packed = workspace_.packed.data();
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j <= i; ++j) {
        scratch_.M[i * n + j] = *packed++;
      }
    }
    FactorLdlt(n, scratch_.M);
    TaskMobility(m, n, scratch_.J, scratch_.M, scratch_.h, drift, scratch_.Y, W,
                 r);
  }
  const TaskDiagnostics diagnostics =
      SolveTask(task, rank, regular ? W : nullptr, r, lambda, eta);
  StoreDiagnostics(diagnostics);
  if (!regular) return;
  if (diagnostics.rule != TaskRule::kFullRank) {
    RowIssue issue;
    issue.output = Has(Quantity::kOperationalSpace) ? Output::kLambda
                   : Has(Quantity::kTaskProjection) ? Output::kMobility
                                                    : Output::kTaskTorque;
    issue.code = RowCode::kSingularTaskSpace;
    issue.value = diagnostics.sigma_min;
    issue.rank = diagnostics.rank;
    Report(issue);
  }
  Store(Output::kEta, eta);
  StoreTask(W, lambda, drift);
}

void RowDecision::StoreTask(const double* W, const double* lambda,
                            const double* drift) {
  const int m = plan_.options().task.axis_count, n = tree_.n;
  StoreSymmetric(Output::kLambda, m, lambda);
  if (Has(Quantity::kTaskProjection)) {
    double* const J_bar = workspace_.projections.data();
    double* const N = J_bar + m * n;
    StoreSymmetric(Output::kMobility, m, W);
    DynamicallyConsistentInverse(m, n, scratch_.J, scratch_.M, lambda,
                                 scratch_.u, J_bar);
    Store(Output::kConsistentInverse, J_bar);
    NullSpaceProjector(m, n, scratch_.J, J_bar, N);
    Store(Output::kNullSpaceProjector, N);
  }
  if (Has(Quantity::kTaskTorque)) {
    double* const tau = workspace_.result.data();
    TaskTorque(m, n, scratch_.J, scratch_.M, lambda, scratch_.d, drift,
               Of(Input::kTaskAcceleration), Of(Input::kNullSpaceTorque),
               scratch_.u, tau);
    Store(Output::kTaskTorque, tau);
  }
}

TaskRank RowDecision::RankOfTask() const {
  int joints = 0;
  const auto tip = static_cast<std::size_t>(*plan_.tip_frame());
  for (int i = plan_.model().frames()[tip].placement.body; i != kBase;
       i = tree_.bodies[i].parent) {
    ++joints;
  }
  return torqued::RankOfTask(plan_.options().task, tree_.n, joints, scratch_.J);
}

void RowDecision::MoveTaskRows() {
  const TaskOptions& task = plan_.options().task;
  const int m = task.axis_count, n = tree_.n;
  double* rows = scratch_.Y;
  for (int i = 0; i < m; ++i) {
    const int axis = task.axes[static_cast<std::size_t>(i)];
    std::copy_n(scratch_.J + axis * n, n, rows + i * n);
  }
  std::copy_n(rows, m * n, scratch_.J);
}

void RowDecision::ReportSingularMass(Output output) {
  RowIssue issue;
  issue.code = RowCode::kSingularMassMatrix;
  issue.output = output;
  issue.column = mass_.joint;
  issue.value = mass_.pivot;
  Report(issue);
}

void RowDecision::ReportNotFinite(Output output) {
  RowIssue issue;
  issue.code = RowCode::kNotFiniteResult;
  issue.output = output;
  issue.value = kNaN;
  Report(issue);
  StoreNaN(output);
}

void RowDecision::Store(Output output, const double* values) {
  const OutputArray& out = outputs_[output];
  if (!Has(QuantityOf(output)) || out.data == nullptr) return;
  // Beyond this a number rounds to infinity in single precision.
  constexpr double kFloatLimit = 3.4028235677973366e38;
  const double limit = out.type == NumberType::kF32
                           ? kFloatLimit
                           : std::numeric_limits<double>::infinity();
  const LaneShape& shape = plan_.shape(output);
  for (int k = 0; k < shape.columns; ++k) {
    const double value =
        values[shape.permutation != nullptr ? shape.permutation[k] : k];
    if (!(std::abs(value) < limit)) return ReportNotFinite(output);
    StoreNumber(value, out.data, out.type, row_ * shape.columns + k);
  }
}

void RowDecision::StoreSymmetric(Output output, int s, const double* matrix) {
  double packed[21];
  double* end = packed;
  for (int i = 0; i < s; ++i) end = std::copy_n(matrix + i * s, i + 1, end);
  Store(output, packed);
}

void RowDecision::StoreNaN(QuantityBits quantities) {
  ForOutputs(quantities, [this](Output output) { StoreNaN(output); });
}

void RowDecision::StoreNaN(Output output) {
  const OutputArray& out = outputs_[output];
  if (out.data == nullptr) return;
  const std::int64_t columns = plan_.columns(output);
  for (std::int64_t k = 0; k < columns; ++k) {
    StoreNumber(kNaN, out.data, out.type, row_ * columns + k);
  }
}

void RowDecision::StoreDiagnostics(const TaskDiagnostics& diagnostics) {
  if (!Has(Quantity::kOperationalSpace)) return;
  if (outputs_.rank != nullptr) {
    outputs_.rank[row_] = static_cast<std::uint32_t>(diagnostics.rank);
  }
  if (outputs_.sigma_min != nullptr) {
    outputs_.sigma_min[row_] = diagnostics.sigma_min;
  }
  if (outputs_.rule != nullptr) outputs_.rule[row_] = diagnostics.rule;
}

}  // namespace torqued

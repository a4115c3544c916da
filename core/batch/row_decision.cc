#include "core/batch/row_decision.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "core/batch/evaluate_rows.h"
#include "core/dynamics/ltdl-inl.h"
#include "core/dynamics/operational_space.h"

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

/// Of n joints and m axes; shapes are rows x columns.
struct RowDecision::TaskTerms {
  using Matrix = Eigen::Map<
      Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
  using Vector = Eigen::Map<Eigen::VectorXd>;

  TaskTerms(int n, int m, double* memory)
      : next(memory),
        J(Take(6 * n), 6, n),
        axes(Take(m * n), m, n),
        half(Take(m * n), m, n),
        solved(Take(m * n), m, n),
        J_bar(Take(n * m), n, m),
        N(Take(n * n), n, n),
        M(Take(PackedSize(n)), PackedSize(n)),
        reciprocal(Take(n), n),
        bias(Take(n), n),
        forces(Take(n), n),
        tau(Take(n), n),
        drift(Take(6), 6) {}

  double* Take(int count) {
    taken += count;
    return next == nullptr ? next : std::exchange(next, next + count);
  }

  double* next;
  std::int64_t taken = 0;
  Matrix J;
  Matrix axes;    // rows of J
  Matrix half;    // axes L⁻¹
  Matrix solved;  // axes M⁻¹
  Matrix J_bar, N;
  Vector M, reciprocal;  // packed, and its factors: see FactorLtdl
  Vector bias;           // h without wrenches
  Vector forces;         // h under all wrenches
  Vector tau;
  Vector drift;
};

std::int64_t RowDecision::TaskNumbers(const EvaluationPlan& plan) {
  return TaskTerms(plan.model().nv(), plan.options().task.axis_count, nullptr)
      .taken;
}

RowDecision::RowDecision(const EvaluationPlan& plan,
                         const EvaluationOutputs& outputs,
                         const LaneKernels& kernels, RowWorkspace& workspace)
    : plan_(plan),
      outputs_(outputs),
      kernels_(*kernels.one_lane),
      workspace_(workspace),
      n_(plan.model().nv()) {}

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
    mass_ = JudgePivots(plan_.model().tree(), plan_.pivot_scales(),
                        Of(Input::kQ), workspace_.pivots);
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
  TaskTerms terms(n_, plan_.options().task.axis_count, workspace_.task.data());
  ComputeTermsOfTask(terms, Bit(Quantity::kJacobian));
  return RankOfTask(terms).sigma_min;
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

void RowDecision::ComputeTermsOfTask(TaskTerms& terms,
                                     QuantityBits quantities) {
  BlockJob job = plan_.JobOfInputs();
  BlockSetup setup = *job.setup;
  job.setup = &setup;
  job.single_precision = false;
  job.inputs[static_cast<std::size_t>(Input::kA)] = {};
  job.task = false;
  const auto add = [&](Output output, auto& to) {
    if ((quantities & Bit(QuantityOf(output))) == 0) return;
    job.wanted |= Bit(output);
    job.outputs[static_cast<std::size_t>(output)] = {to.data(), false};
    setup.shapes[static_cast<std::size_t>(output)] = {
        static_cast<int>(to.size()), nullptr, 0};
  };
  add(Output::kJacobian, terms.J);
  add(Output::kJacobianDrift, terms.drift);
  add(Output::kMassMatrix, terms.M);
  add(Output::kBias, terms.bias);
  add(Output::kTau, terms.forces);
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
  const int m = task.axis_count;
  const bool regular = mass_.regular();
  TaskTerms terms(n_, m, workspace_.task.data());
  QuantityBits wanted = Bit(Quantity::kJacobian);
  if (regular) {
    wanted |= Bit(Quantity::kJacobianDrift) | Bit(Quantity::kMassMatrix) |
              Bit(Quantity::kBiasForces);
    if (Has(Quantity::kTaskTorque)) wanted |= Bit(Quantity::kInverseDynamics);
  }
  ComputeTermsOfTask(terms, wanted);
  const TaskRank rank = RankOfTask(terms);

  double W[36] = {}, r[6] = {}, lambda[36] = {}, eta[6] = {};
  if (regular) {
    const Branches<double> joints{plan_.model().lowered().f64().bodies, n_};
    double* const factors = terms.M.data();
    FactorLtdl(joints, factors, terms.reciprocal.data());
    for (int i = 0; i < m; ++i) {
      const int axis = task.axes[static_cast<std::size_t>(i)];
      terms.axes.row(i) = terms.J.row(axis);
      terms.half.row(i) = terms.axes.row(i);
      SolveInward(joints, factors, terms.half.row(i).data());
      terms.solved.row(i) =
          terms.half.row(i).cwiseProduct(terms.reciprocal.transpose());
      for (int j = 0; j <= i; ++j) {
        W[i * m + j] = W[j * m + i] =
            terms.solved.row(i).dot(terms.half.row(j));
      }
      SolveOutward(joints, factors, terms.solved.row(i).data());
      r[i] = terms.solved.row(i).dot(terms.bias) - terms.drift[axis];
    }
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
  StoreSymmetric(Output::kLambda, m, lambda);
  Store(Output::kEta, eta);
  StoreTask(terms, W, lambda);
}

void RowDecision::StoreTask(TaskTerms& terms, const double* W,
                            const double* lambda) {
  const TaskOptions& task = plan_.options().task;
  const int m = task.axis_count;
  const Eigen::Map<const Eigen::MatrixXd> Lambda(lambda, m, m);  // symmetric
  if (Has(Quantity::kTaskProjection)) {
    StoreSymmetric(Output::kMobility, m, W);
    terms.J_bar = terms.solved.transpose().lazyProduct(Lambda);
    Store(Output::kConsistentInverse, terms.J_bar.data());
    terms.N = -terms.J_bar.lazyProduct(terms.axes);
    terms.N.diagonal().array() += 1;
    Store(Output::kNullSpaceProjector, terms.N.data());
  }
  if (!Has(Quantity::kTaskTorque)) return;
  // τ_0 + Jᵀ Λ (a* − J̇ q̇ + J M⁻¹ (h − τ_0))
  const double* const wanted = Of(Input::kTaskAcceleration);
  const double* const null_space = Of(Input::kNullSpaceTorque);
  terms.tau.setZero();
  if (null_space != nullptr) {
    terms.tau = Eigen::Map<const Eigen::VectorXd>(null_space, n_);
  }
  Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMaxTaskAxes> r(m);
  for (int i = 0; i < m; ++i) {
    r[i] = (wanted == nullptr ? 0 : wanted[i]) -
           terms.drift[task.axes[static_cast<std::size_t>(i)]] +
           terms.solved.row(i).dot(terms.forces - terms.tau);
  }
  for (int i = 0; i < m; ++i) {
    terms.tau += terms.axes.row(i).transpose() * Lambda.col(i).dot(r);
  }
  Store(Output::kTaskTorque, terms.tau.data());
}

TaskRank RowDecision::RankOfTask(const TaskTerms& terms) const {
  int joints = 0;
  const auto tip = static_cast<std::size_t>(*plan_.tip_frame());
  const Tree tree = plan_.model().tree();
  for (int i = plan_.model().frames()[tip].placement.body; i != kBase;
       i = tree.bodies[i].parent) {
    ++joints;
  }
  return torqued::RankOfTask(plan_.options().task, n_, joints, terms.J.data());
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
  double packed[21] = {};
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

#include "core/engine/row_decision.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "core/dynamics/ltdl-inl.h"
#include "core/dynamics/operational_space.h"
#include "core/dynamics/pivot_check.h"

namespace torqued {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
/// Beyond this a number rounds to infinity in single precision.
constexpr double kFloatLimit = 3.4028235677973366e38;

double LoadNumber(const void* table, NumberType type, std::int64_t index) {
  const char* at = static_cast<const char*>(table) + index * SizeOf(type);
  double value;
  float single;
  if (type == NumberType::kF64) {
    std::memcpy(&value, at, sizeof(value));
  } else {
    std::memcpy(&single, at, sizeof(single));
    value = static_cast<double>(single);
  }
  return value;
}

void StoreNumber(double value, const OutputArray& table, std::int64_t index) {
  char* at = static_cast<char*>(table.data) + index * SizeOf(table.type);
  const auto single = static_cast<float>(value);
  if (table.type == NumberType::kF64) {
    std::memcpy(at, &value, sizeof(value));
  } else {
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

/// Of n joints and m axes; shapes are rows x columns.
struct TaskTerms {
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

TaskTerms TermsOf(const EvaluationPlan& plan, double* memory) {
  return {plan.model().nv(), plan.options().task.axis_count, memory};
}

/// TaskTerms stand at the beginning, inputs at the end.
double* MemoryOf(const EvaluationPlan& plan, RowWorkspace& workspace) {
  const auto needed = static_cast<std::size_t>(DecisionNumbers(plan));
  if (workspace.numbers.size() < needed) {
    workspace.numbers = std::vector<double>(needed);
  }
  return workspace.numbers.data();
}

/// Of the task of a row, those of J, J̇ q̇, M and bias forces that are among
/// `quantities`.
void ComputeTerms(const EvaluationPlan& plan, const SimdKernels& kernels,
                  RowWorkspace& workspace, std::int64_t row,
                  QuantityBits quantities, TaskTerms& terms) {
  BlockJob job = plan.JobOfInputs();
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
  for (KernelInput& input : job.inputs) {
    if (input.data == nullptr || input.one_row) continue;
    const std::int64_t number = input.f32 ? 4 : 8;
    input.data =
        static_cast<const char*>(input.data) + row * input.columns * number;
    input.one_row = true;
  }
  FallbackRow ignored;
  RunKernels(*kernels.one_lane, job, 0, 1, workspace, &ignored);
}

TaskRank RankOf(const EvaluationPlan& plan, const TaskTerms& terms) {
  return RankOfTask(plan.options().task, plan.model().nv(),
                    plan.JobOfInputs().setup->tip.path_length, terms.J.data());
}

class Decision {
 public:
  Decision(const EvaluationPlan& plan, const EvaluationOutputs& outputs,
           const SimdKernels& kernels, RowWorkspace& workspace,
           std::int64_t row, QuantitySet quantities)
      : plan_(plan),
        outputs_(outputs),
        kernels_(kernels),
        workspace_(workspace),
        memory_(MemoryOf(plan, workspace)),
        row_(row),
        quantities_(quantities) {
    double* end = memory_ + DecisionNumbers(plan);
    for (int k = 0; k < kInputCount; ++k) {
      inputs_[k] = end -= plan.ColumnsOf(static_cast<Input>(k));
    }
  }

  std::optional<RowIssue> Decide() {
    for (int k = 0; k < kInputCount; ++k) {
      if (LoadInput(static_cast<Input>(k))) continue;
      StoreNaN(quantities_.bits());
      StoreDiagnostics({.rule = TaskRule::kUndefined, .sigma_min = kNaN});
      return issue_;
    }
    QuantityBits computed = quantities_.bits() & ~QuantityBits{kTaskQuantities};
    bool regular = true;
    if (quantities_.HasAny(kSolvesMassMatrix)) {
      const PivotCheck mass =
          CheckPivots(plan_.model().tree(), plan_.inertia_scales(),
                      Of(Input::kQ), workspace_.pivots);
      regular = mass.regular();
      if (!regular) {
        const QuantityBits solved = quantities_.bits() & kSolvesMassMatrix;
        computed &= ~solved;
        ForOutputs(solved, [&](Output output) {
          Report({.code = RowCode::kSingularMassMatrix,
                  .output = output,
                  .column = mass.joint,
                  .value = mass.pivot});
        });
        StoreNaN(solved);
      }
    }
    Compute(computed);
    if (quantities_.HasAny(kTaskQuantities)) DecideTask(regular);
    return issue_;
  }

 private:
  bool Has(Quantity quantity) const { return quantities_.Has(quantity); }

  const double* Of(Input input) const {
    return plan_.inputs()[input].present()
               ? inputs_[static_cast<std::size_t>(input)]
               : nullptr;
  }

  /// The gravest issue of a row is the one that is kept.
  void Report(RowIssue issue) {
    issue.row = row_;
    if (!issue_ || issue.code < issue_->code) issue_ = issue;
  }

  /// One row of an input into canonical order; false if a number is not
  /// finite.
  bool LoadInput(Input input) {
    const InputArray& array = plan_.inputs()[input];
    if (!array.present()) return true;
    const std::vector<int>& permutation = plan_.input_permutation(input);
    double* const values = inputs_[static_cast<std::size_t>(input)];
    const std::int64_t row = array.rows == 1 ? 0 : row_;
    for (int k = 0; k < array.columns; ++k) {
      const double value =
          LoadNumber(array.data, array.type, row * array.columns + k);
      if (!std::isfinite(value)) {
        Report({.code = RowCode::kInvalidInput,
                .input = input,
                .column = k,
                .value = value});
        return false;
      }
      values[permutation.empty() ? k
                                 : permutation[static_cast<std::size_t>(k)]] =
          value;
    }
    return true;
  }

  /// What the kernels make of some quantities.
  void Compute(QuantityBits quantities) {
    BlockJob job = plan_.Job(outputs_);
    job.single_precision = false;
    job.streaming_stores = false;
    job.task = false;
    job.wanted = 0;
    ForOutputs(quantities, [&](Output output) {
      if (outputs_[output].data != nullptr) job.wanted |= Bit(output);
    });
    if (job.wanted == 0) return;
    FallbackRow ignored;  // the verdict is out
    RunKernels(*kernels_.one_lane, job, row_, row_ + 1, workspace_, &ignored);
    ForOutputs(quantities, [this](Output output) {
      const OutputArray& out = outputs_[output];
      if (out.data == nullptr) return;
      const std::int64_t columns = plan_.columns(output);
      for (std::int64_t k = 0; k < columns; ++k) {
        if (!std::isfinite(
                LoadNumber(out.data, out.type, row_ * columns + k))) {
          return ReportNotFinite(output);
        }
      }
    });
  }

  void DecideTask(bool regular) {
    const TaskOptions& task = plan_.options().task;
    const int m = task.axis_count;
    TaskTerms terms = TermsOf(plan_, memory_);
    QuantityBits wanted = Bit(Quantity::kJacobian);
    if (regular) {
      wanted |= Bit(Quantity::kJacobianDrift) | Bit(Quantity::kMassMatrix) |
                Bit(Quantity::kBiasForces);
      if (Has(Quantity::kTaskTorque)) wanted |= Bit(Quantity::kInverseDynamics);
    }
    ComputeTerms(plan_, kernels_, workspace_, row_, wanted, terms);
    const TaskRank rank = RankOf(plan_, terms);

    double W[36] = {}, r[6] = {}, lambda[36] = {}, eta[6] = {};
    if (regular) {
      const Branches<double> joints{plan_.model().compiled().f64().bodies,
                                    plan_.model().nv()};
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
      Report({.code = RowCode::kSingularTaskSpace,
              .output = Has(Quantity::kOperationalSpace) ? Output::kLambda
                        : Has(Quantity::kTaskProjection) ? Output::kMobility
                                                         : Output::kTaskTorque,
              .value = diagnostics.sigma_min,
              .rank = diagnostics.rank});
    }
    StoreSymmetric(Output::kLambda, m, lambda);
    Store(Output::kEta, eta);
    StoreTask(terms, W, lambda);
  }

  /// W, J̄, N and the torques, from Λ.
  void StoreTask(TaskTerms& terms, const double* W, const double* lambda) {
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
      terms.tau =
          Eigen::Map<const Eigen::VectorXd>(null_space, terms.tau.size());
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

  void ReportNotFinite(Output output) {
    Report(
        {.code = RowCode::kNotFiniteResult, .output = output, .value = kNaN});
    StoreNaN(output);
  }

  /// `values` as the kernels offer them; see KernelShape.
  void Store(Output output, const double* values) {
    const OutputArray& out = outputs_[output];
    if (!Has(QuantityOf(output)) || out.data == nullptr) return;
    const double limit = out.type == NumberType::kF32
                             ? kFloatLimit
                             : std::numeric_limits<double>::infinity();
    const KernelShape& shape = plan_.shape(output);
    for (int k = 0; k < shape.columns; ++k) {
      const double value =
          values[shape.permutation != nullptr ? shape.permutation[k] : k];
      if (!(std::abs(value) < limit)) return ReportNotFinite(output);
      StoreNumber(value, out, row_ * shape.columns + k);
    }
  }

  /// The lower half of a symmetric s x s matrix.
  void StoreSymmetric(Output output, int s, const double* matrix) {
    double packed[21] = {};
    double* end = packed;
    for (int i = 0; i < s; ++i) end = std::copy_n(matrix + i * s, i + 1, end);
    Store(output, packed);
  }

  void StoreNaN(QuantityBits quantities) {
    ForOutputs(quantities, [this](Output output) { StoreNaN(output); });
  }

  void StoreNaN(Output output) {
    if (outputs_[output].data == nullptr) return;
    const std::int64_t columns = plan_.columns(output);
    for (std::int64_t k = 0; k < columns; ++k) {
      StoreNumber(kNaN, outputs_[output], row_ * columns + k);
    }
  }

  void StoreDiagnostics(const TaskDiagnostics& diagnostics) {
    if (!Has(Quantity::kOperationalSpace)) return;
    if (outputs_.rank != nullptr) {
      outputs_.rank[row_] = static_cast<std::uint32_t>(diagnostics.rank);
    }
    if (outputs_.sigma_min != nullptr) {
      outputs_.sigma_min[row_] = diagnostics.sigma_min;
    }
    if (outputs_.rule != nullptr) outputs_.rule[row_] = diagnostics.rule;
  }

  const EvaluationPlan& plan_;
  const EvaluationOutputs& outputs_;
  const SimdKernels& kernels_;
  RowWorkspace& workspace_;
  double* const memory_;
  double* inputs_[kInputCount];  // one state, in canonical order
  const std::int64_t row_;
  const QuantitySet quantities_;
  std::optional<RowIssue> issue_;
};

}  // namespace

std::int64_t DecisionNumbers(const EvaluationPlan& plan) {
  std::int64_t numbers = 0;
  for (int k = 0; k < kInputCount; ++k) {
    numbers += plan.ColumnsOf(static_cast<Input>(k));
  }
  const bool task = plan.options().quantities.HasAny(kTaskQuantities);
  return numbers + (task ? TermsOf(plan, nullptr).taken : 0);
}

std::optional<RowIssue> DecideRow(const EvaluationPlan& plan,
                                  const EvaluationOutputs& outputs,
                                  const SimdKernels& kernels,
                                  RowWorkspace& workspace, std::int64_t row,
                                  QuantitySet quantities) {
  return Decision(plan, outputs, kernels, workspace, row, quantities).Decide();
}

double SmallestSingularValue(const EvaluationPlan& plan,
                             const SimdKernels& kernels,
                             RowWorkspace& workspace, std::int64_t row) {
  TaskTerms terms = TermsOf(plan, MemoryOf(plan, workspace));
  ComputeTerms(plan, kernels, workspace, row, Bit(Quantity::kJacobian), terms);
  return RankOf(plan, terms).sigma_min;
}

}  // namespace torqued

#include "core/engine/evaluate_rows.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "core/dynamics/ltdl-inl.h"
#include "core/dynamics/pivot_check.h"
#include "core/model/compile.h"

namespace torqued {
namespace {

using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic,
                            Eigen::ColMajor, kMaxTaskAxes, kMaxTaskAxes>;
/// Of fixed capacity, so that nothing is allocated.
using Columns = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic,
                              Eigen::ColMajor, kMaxTaskDof, kMaxTaskAxes>;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double LoadNumber(const void* table, NumberType type, std::int64_t index) {
  const char* at = static_cast<const char*>(table) + index * SizeOf(type);
  double value = 0;
  float single = 0;
  const bool wide = type == NumberType::kF64;
  std::memcpy(wide ? static_cast<void*>(&value) : &single, at, SizeOf(type));
  return wide ? value : static_cast<double>(single);
}

void StoreNumber(double value, const OutputArray& table, std::int64_t index) {
  char* at = static_cast<char*>(table.data) + index * SizeOf(table.type);
  const auto single = static_cast<float>(value);
  const bool wide = table.type == NumberType::kF64;
  std::memcpy(at, wide ? static_cast<const void*>(&value) : &single,
              SizeOf(table.type));
}

/// f(Output) for all of some quantities.
template <class Function>
void ForOutputs(QuantityBits quantities, const Function& f) {
  for (int k = 0; k < kOutputCount; ++k) {
    const auto output = static_cast<Output>(k);
    if ((quantities & Bit(QuantityOf(output))) != 0) f(output);
  }
}

double RowScale(const TaskOptions& options, int axis) {
  return axis < 3 ? 1.0 : 1 / options.characteristic_length;
}

/// A⁻¹ of a symmetric positive definite A, exactly symmetric; false if a pivot
/// of A, scaled to unit diagonal, is round-off.
bool InvertSymmetric(const Small& A, Small& inverse) {
  const Eigen::Index m = A.rows();
  if (!(A.diagonal().minCoeff() > 0)) return false;
  const auto scale = A.diagonal().cwiseSqrt().cwiseInverse().eval();
  const Small unit = scale.asDiagonal() * A * scale.asDiagonal();
  const Eigen::LDLT<Small> factors(unit);
  if (!(factors.vectorD().minCoeff() > static_cast<double>(m) * kEpsilon)) {
    return false;
  }
  const Small solved = factors.solve(Small::Identity(m, m));
  const Small full = scale.asDiagonal() * solved * scale.asDiagonal();
  inverse = (full + full.transpose()) / 2;
  return true;
}

/// Range-restricted Λ of the largest rank up to `rank` at which Uᵀ W U is
/// regular to working precision; returns that rank.
int SolveOnRange(const TaskOptions& options, const Small& U, int rank,
                 const Small& W, Small& lambda) {
  const Eigen::Index m = W.rows();
  // range(J) = S⁻¹ range(S J)
  Small range = U;
  for (int i = 0; i < m; ++i) {
    range.row(i) /= RowScale(options, options.axes[i]);
  }
  for (; rank > 0; --rank) {
    const Eigen::HouseholderQR<Small> factors(range.leftCols(rank));
    const Small Q = factors.householderQ() * Small::Identity(m, rank);
    Small inverse;
    if (!InvertSymmetric(Q.transpose() * W * Q, inverse)) continue;
    const Small full = Q * inverse * Q.transpose();
    lambda = (full + full.transpose()) / 2;
    return rank;
  }
  lambda.setZero(m, m);
  return 0;
}

/// A row in canonical order and what its task, of n joints and m axes, is
/// decided in; shapes are rows x columns.
struct Scratch {
  using Matrix = Eigen::Map<
      Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
  using Vector = Eigen::Map<Eigen::VectorXd>;

  /// Of no memory: only `taken` is right.
  Scratch(const EvaluationPlan& plan, double* memory)
      : next(memory),
        n(plan.options().quantities.HasAny(kTaskQuantities) ? plan.model().nv()
                                                            : 0),
        m(plan.options().task.axis_count),
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
        drift(Take(6), 6) {
    for (int k = 0; k < kInputCount; ++k) {
      inputs[k] = Take(plan.checked().ColumnsOf(static_cast<Input>(k)));
    }
  }

  double* Take(int count) {
    taken += count;
    return next == nullptr ? next : std::exchange(next, next + count);
  }

  double* next;
  std::int64_t taken = 0;
  int n, m;
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
  double* inputs[kInputCount];
};

double* MemoryOf(const EvaluationPlan& plan, RowWorkspace& workspace) {
  const auto needed = static_cast<std::size_t>(DecisionNumbers(plan));
  if (workspace.numbers.size() < needed) {
    workspace.numbers = std::vector<double>(needed);
  }
  return workspace.numbers.data();
}

struct Decision : Scratch {
  std::optional<RowIssue> Decide() {
    for (int k = 0; k < kInputCount; ++k) {
      if (LoadInput(static_cast<Input>(k))) continue;
      ForOutputs(quantities.bits(), [&](Output output) { StoreNaN(output); });
      StoreDiagnostics({.rule = TaskRule::kUndefined, .sigma_min = kNaN});
      return issue;
    }
    const QuantityBits solved_for = quantities.bits() & kSolvesMassMatrix;
    QuantityBits computed = quantities.bits() & ~QuantityBits{kTaskQuantities};
    bool regular = true;
    if (solved_for != 0) {
      const PivotCheck mass =
          CheckPivots(plan.model().tree(), plan.checked().inertia_scales,
                      Of(Input::kQ), workspace.pivots);
      regular = mass.regular();
      if (!regular) {
        computed &= ~solved_for;
        ForOutputs(solved_for, [&](Output output) {
          Report({.code = RowCode::kSingularMassMatrix,
                  .output = output,
                  .column = mass.joint,
                  .value = mass.pivot});
          StoreNaN(output);
        });
      }
    }
    Compute(computed);
    if (quantities.HasAny(kTaskQuantities)) DecideTask(regular);
    return issue;
  }

  bool Has(Quantity quantity) const { return quantities.Has(quantity); }

  const double* Of(Input input) const {
    return plan.inputs()[input].present()
               ? inputs[static_cast<std::size_t>(input)]
               : nullptr;
  }

  /// The gravest issue of a row is the one that is kept.
  void Report(RowIssue found) {
    found.row = row;
    if (!issue || found.code < issue->code) issue = found;
  }

  /// One row of an input into canonical order; false if a number is not
  /// finite.
  bool LoadInput(Input input) {
    const InputArray& array = plan.inputs()[input];
    if (!array.present()) return true;
    const std::vector<int>& permutation = plan.checked().Permutation(input);
    double* const values = inputs[static_cast<std::size_t>(input)];
    const std::int64_t at = (array.rows == 1 ? 0 : row) * array.columns;
    for (int k = 0; k < array.columns; ++k) {
      const double value = LoadNumber(array.data, array.type, at + k);
      if (!std::isfinite(value)) {
        Report({.code = RowCode::kInvalidInput,
                .input = input,
                .column = k,
                .value = value});
        return false;
      }
      values[CanonicalIndex(permutation, k)] = value;
    }
    return true;
  }

  /// What the kernels make of some quantities.
  void Compute(QuantityBits some) {
    BlockJob job = JobOf(plan, outputs);
    job.single_precision = false;
    job.streaming_stores = false;
    job.task = false;
    job.wanted &= OutputsOf(some);
    if (job.wanted == 0) return;
    FallbackRow ignored;  // the verdict is out
    RunKernels(*kernels.one_lane, job, row, row + 1, workspace, &ignored);
    ForOutputs(some, [this](Output output) { CheckFinite(output); });
  }

  /// Of the task: its rank and J; if `all`, also what Λ, η and the torques
  /// take.
  TaskRank FindRank(bool all) {
    BlockJob job = JobOf(plan, {});
    BlockSetup setup = *job.setup;
    job.setup = &setup;
    job.single_precision = false;
    job.inputs[static_cast<std::size_t>(Input::kA)] = {};
    job.task = false;
    const auto add = [&](Output output, auto& to) {
      job.wanted |= Bit(output);
      job.outputs[static_cast<std::size_t>(output)] = {to.data(), false};
      setup.shapes[static_cast<std::size_t>(output)] = {
          static_cast<int>(to.size()), nullptr, 0};
    };
    add(Output::kJacobian, J);
    if (all) {
      add(Output::kJacobianDrift, drift);
      add(Output::kMassMatrix, M);
      add(Output::kBias, bias);
      if (Has(Quantity::kTaskTorque)) add(Output::kTau, forces);
    }
    for (KernelInput& input : job.inputs) {
      if (input.data == nullptr || input.one_row) continue;
      const std::int64_t number = input.f32 ? 4 : 8;
      input.data =
          static_cast<const char*>(input.data) + row * input.columns * number;
      input.one_row = true;
    }
    FallbackRow ignored;
    RunKernels(*kernels.one_lane, job, 0, 1, workspace, &ignored);
    return RankOfTask(plan.options().task, n, setup.tip.path_length, J.data());
  }

  void DecideTask(bool regular) {
    const TaskOptions& task = plan.options().task;
    const TaskRank rank = FindRank(regular);
    if (!regular) {
      return StoreDiagnostics(
          {TaskRule::kUndefined, rank.rank, rank.sigma_min});
    }
    double W[36] = {}, r[6] = {}, lambda[36] = {}, eta[6] = {};
    const Branches<double> joints{plan.model().compiled().f64().bodies, n};
    FactorLtdl(joints, M.data(), reciprocal.data());
    for (int i = 0; i < m; ++i) {
      const int axis = task.axes[i];
      axes.row(i) = J.row(axis);
      half.row(i) = axes.row(i);
      SolveInward(joints, M.data(), half.row(i).data());
      solved.row(i) = half.row(i).cwiseProduct(reciprocal.transpose());
      for (int j = 0; j <= i; ++j) {
        W[i * m + j] = W[j * m + i] = solved.row(i).dot(half.row(j));
      }
      SolveOutward(joints, M.data(), solved.row(i).data());
      r[i] = solved.row(i).dot(bias) - drift[axis];
    }
    const TaskDiagnostics diagnostics =
        SolveTask(task, rank, W, r, lambda, eta);
    StoreDiagnostics(diagnostics);
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
    StoreTask(W, lambda);
  }

  /// W, J̄, N and the torques, from Λ.
  void StoreTask(const double* W, const double* lambda) {
    const Eigen::Map<const Eigen::MatrixXd> Lambda(lambda, m, m);  // symmetric
    if (Has(Quantity::kTaskProjection)) {
      StoreSymmetric(Output::kMobility, m, W);
      J_bar = solved.transpose().lazyProduct(Lambda);
      Store(Output::kConsistentInverse, J_bar.data());
      N = -J_bar.lazyProduct(axes);
      N.diagonal().array() += 1;
      Store(Output::kNullSpaceProjector, N.data());
    }
    if (!Has(Quantity::kTaskTorque)) return;
    // τ_0 + Jᵀ Λ (a* − J̇ q̇ + J M⁻¹ (h − τ_0))
    const double* const wanted = Of(Input::kTaskAcceleration);
    const double* const null_space = Of(Input::kNullSpaceTorque);
    tau.setZero();
    if (null_space != nullptr) {
      tau = Eigen::Map<const Eigen::VectorXd>(null_space, n);
    }
    Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMaxTaskAxes> r(m);
    for (int i = 0; i < m; ++i) {
      r[i] = (wanted == nullptr ? 0 : wanted[i]) -
             drift[plan.options().task.axes[i]] +
             solved.row(i).dot(forces - tau);
    }
    for (int i = 0; i < m; ++i) {
      tau += axes.row(i).transpose() * Lambda.col(i).dot(r);
    }
    Store(Output::kTaskTorque, tau.data());
  }

  void CheckFinite(Output output) {
    const OutputArray& out = outputs[output];
    if (out.data == nullptr) return;
    const std::int64_t columns = plan.columns(output), at = row * columns;
    for (std::int64_t k = 0; k < columns; ++k) {
      if (std::isfinite(LoadNumber(out.data, out.type, at + k))) continue;
      Report(
          {.code = RowCode::kNotFiniteResult, .output = output, .value = kNaN});
      return StoreNaN(output);
    }
  }

  /// `values` as the kernels offer them; see KernelShape.
  void Store(Output output, const double* values) {
    const OutputArray& out = outputs[output];
    if (!Has(QuantityOf(output)) || out.data == nullptr) return;
    const KernelShape& shape =
        plan.checked().setup.shapes[static_cast<std::size_t>(output)];
    for (int k = 0; k < shape.columns; ++k) {
      const int from = shape.permutation != nullptr ? shape.permutation[k] : k;
      StoreNumber(values[from], out, row * shape.columns + k);
    }
    CheckFinite(output);
  }

  /// The lower half of a symmetric s x s matrix.
  void StoreSymmetric(Output output, int s, const double* matrix) {
    double packed[21] = {};
    double* end = packed;
    for (int i = 0; i < s; ++i) end = std::copy_n(matrix + i * s, i + 1, end);
    Store(output, packed);
  }

  void StoreNaN(Output output) {
    if (outputs[output].data == nullptr) return;
    const std::int64_t columns = plan.columns(output);
    for (std::int64_t k = 0; k < columns; ++k) {
      StoreNumber(kNaN, outputs[output], row * columns + k);
    }
  }

  void StoreDiagnostics(const TaskDiagnostics& diagnostics) {
    if (!Has(Quantity::kOperationalSpace)) return;
    if (outputs.rank != nullptr) {
      outputs.rank[row] = static_cast<std::uint32_t>(diagnostics.rank);
    }
    if (outputs.sigma_min != nullptr) {
      outputs.sigma_min[row] = diagnostics.sigma_min;
    }
    if (outputs.rule != nullptr) outputs.rule[row] = diagnostics.rule;
  }

  const EvaluationPlan& plan;
  const EvaluationOutputs& outputs;
  const SimdKernels& kernels;
  RowWorkspace& workspace;
  const std::int64_t row;
  const QuantitySet quantities;
  std::optional<RowIssue> issue = {};
};

}  // namespace

TaskRank RankOfTask(const TaskOptions& options, int n, int joints,
                    const double* J) {
  const int m = options.axis_count;
  TaskRank result;
  Eigen::Map<Eigen::MatrixXd> U(result.U.data(), m, m);
  U.setIdentity();
  if (n == 0) return result;
  double square = 0;
  for (int axis = 0; axis < 6; ++axis) {
    const double scale = RowScale(options, axis);
    square +=
        Eigen::Map<const Eigen::RowVectorXd>(J + axis * n, n).squaredNorm() *
        scale * scale;
  }
  Columns transposed(n, m);
  for (int k = 0; k < m; ++k) {
    const int axis = options.axes[k];
    transposed.col(k) = Eigen::Map<const Eigen::VectorXd>(J + axis * n, n) *
                        RowScale(options, axis);
  }
  const int count = std::min(m, n);
  const Eigen::HouseholderQR<Columns> factors(transposed);
  Small lower = Small::Zero(m, count);
  for (int i = 0; i < count; ++i) {
    for (int j = i; j < m; ++j) lower(j, i) = factors.matrixQR()(i, j);
  }
  const Eigen::JacobiSVD<Small> svd(lower, Eigen::ComputeFullU);
  U = svd.matrixU();
  if (n >= m) result.sigma_min = svd.singularValues()[m - 1];
  const double tolerance =
      std::max(options.rank_tolerance, LeastRankTolerance(joints, kEpsilon)) *
      std::sqrt(square);
  for (int k = 0; k < count; ++k) {
    result.rank += svd.singularValues()[k] > tolerance ? 1 : 0;
  }
  return result;
}

TaskDiagnostics SolveTask(const TaskOptions& options, const TaskRank& rank,
                          const double* W, const double* r, double* lambda,
                          double* eta) {
  const int m = options.axis_count;
  TaskDiagnostics result{TaskRule::kUndefined, rank.rank, rank.sigma_min};
  const Small mobility = Eigen::Map<const Eigen::MatrixXd>(W, m, m);
  Small solved = Small::Constant(m, m, kNaN);
  if (!mobility.allFinite()) {
    // Nothing is known.
  } else if (rank.rank == m && InvertSymmetric(mobility, solved)) {
    result.rule = TaskRule::kFullRank;
  } else {
    // J may have full rank and W still lose it to round-off.
    result.rank = std::min(rank.rank, m - 1);
    if (options.singularity == SingularityRule::kDamped) {
      result.rule = TaskRule::kDamped;
      InvertSymmetric(mobility + Small::Identity(m, m) *
                                     (options.damping * options.damping),
                      solved);
    } else {
      result.rule = TaskRule::kRangeRestricted;
      result.rank = SolveOnRange(
          options, Eigen::Map<const Eigen::MatrixXd>(rank.U.data(), m, m),
          result.rank, mobility, solved);
    }
  }
  for (int i = 0; i < m; ++i) {
    eta[i] = 0;
    for (int j = 0; j < m; ++j) {
      lambda[i * m + j] = solved(i, j);
      eta[i] += solved(i, j) * r[j];
    }
  }
  return result;
}

std::int64_t DecisionNumbers(const EvaluationPlan& plan) {
  return Scratch(plan, nullptr).taken;
}

std::optional<RowIssue> DecideRow(const EvaluationPlan& plan,
                                  const EvaluationOutputs& outputs,
                                  const SimdKernels& kernels,
                                  RowWorkspace& workspace, std::int64_t row,
                                  QuantitySet quantities) {
  Decision decision{{plan, MemoryOf(plan, workspace)},
                    plan,
                    outputs,
                    kernels,
                    workspace,
                    row,
                    quantities};
  return decision.Decide();
}

double SmallestSingularValue(const EvaluationPlan& plan,
                             const SimdKernels& kernels,
                             RowWorkspace& workspace, std::int64_t row) {
  Decision decision{
      {plan, MemoryOf(plan, workspace)}, plan, {}, kernels, workspace, row, {}};
  return decision.FindRank(/*all=*/false).sigma_min;
}

}  // namespace torqued

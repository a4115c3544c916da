// Computes a range of rows of a plan on the calling thread, and decides those
// that the lanes leave undecided.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/dynamics/pivot_check.h"
#include "core/engine/evaluation_plan.h"

namespace torqued {

/// The memory of a thread that evaluates rows, reused from plan to plan: it
/// only grows.
struct RowWorkspace {
  /// An engine keeps workspaces of at most this size from job to job.
  static constexpr std::int64_t kMaxRetainedBytes = 512 << 10;

  /// An upper bound for the rows of a plan, whatever their inputs and however
  /// many are in doubt. So it may be asked for before there are rows.
  static std::int64_t BytesFor(const EvaluationPlan& plan,
                               const SimdKernels& kernels);
  /// The size of this workspace.
  std::int64_t bytes() const;

  struct alignas(64) CacheLine {
    std::byte bytes[64];
  };
  std::unique_ptr<CacheLine[]> lanes;  // of the kernels
  std::int64_t lanes_bytes = 0;
  std::vector<FallbackRow> fallback;
  // For the decision on a row.
  PivotScratch pivots;
  std::vector<double> numbers;
};

/// Rows [begin, end), by the kernels of a target. Appends rows that are not OK
/// to `issues`, in order.
void EvaluateRows(const EvaluationPlan& plan, const EvaluationOutputs& outputs,
                  const SimdKernels& kernels, std::int64_t begin,
                  std::int64_t end, RowWorkspace& workspace,
                  std::vector<RowIssue>& issues);

/// Runs the kernels on rows [begin, end). Returns how many of them are in doubt
/// and lists these in `fallback`, which is large enough for all.
long long RunKernels(const SimdKernels& kernels, const BlockJob& job,
                     std::int64_t begin, std::int64_t end,
                     RowWorkspace& workspace, FallbackRow* fallback);

/// Decides in double precision, by one rule each, whether the mass matrix of a
/// row is regular (core/dynamics/pivot_check.h) and what the rank of its task
/// is (RankOfTask). The numbers are those of the kernels, one state at a time.
/// Stores the results of `quantities`; returns why the row is not OK, if so.
std::optional<RowIssue> DecideRow(const EvaluationPlan& plan,
                                  const EvaluationOutputs& outputs,
                                  const SimdKernels& kernels,
                                  RowWorkspace& workspace, std::int64_t row,
                                  QuantitySet quantities);

/// σ_min of the task of a row whose inputs are finite.
double SmallestSingularValue(const EvaluationPlan& plan,
                             const SimdKernels& kernels,
                             RowWorkspace& workspace, std::int64_t row);

/// The part of RowWorkspace::numbers that a decision needs.
std::int64_t DecisionNumbers(const EvaluationPlan& plan);

/// Share of the norm (see TaskOptions::rank_tolerance) up to which a singular
/// value of the Jacobian of a frame behind so many joints is round-off.
constexpr double LeastRankTolerance(int joints, double epsilon) {
  return 8 * epsilon * joints;
}

/// The largest task of this library: m axes of a robot of n joints.
inline constexpr int kMaxTaskAxes = 6;
inline constexpr int kMaxTaskDof = 256;

struct TaskRank {
  int rank = 0;
  double sigma_min = 0;  // of the scaled task Jacobian; 0 where n < m
  /// m x m: left singular vectors of the scaled task Jacobian, by columns. The
  /// first `rank` span its range.
  std::array<double, kMaxTaskAxes * kMaxTaskAxes> U{};
};

/// Rank of the Jacobian of a frame, 6 x n row-major, that `joints` joints move.
TaskRank RankOfTask(const TaskOptions& options, int n, int joints,
                    const double* J);

/// Λ[m x m] and η[m] = Λ r from the mobility W = J M⁻¹ Jᵀ of a task and
/// r = J M⁻¹ h − J̇ q̇. If W is not finite, Λ and η are NaN and the rule is
/// kUndefined.
TaskDiagnostics SolveTask(const TaskOptions& options, const TaskRank& rank,
                          const double* W, const double* r, double* lambda,
                          double* eta);

}  // namespace torqued

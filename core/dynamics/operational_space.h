// Operational-space inertia Λ and bias η (Khatib 1987; Lynch & Park 2017,
// section 8.6; dynamics for redundant and singular tasks as documented below).
#pragma once

#include <array>
#include <cstdint>

namespace torqued {

struct FrameScale;
struct Tree;

/// What stands in Λ where the task Jacobian J (m x n) loses rank. With
/// W = J M⁻¹ Jᵀ, rows of full rank get Λ = W⁻¹ under either rule.
enum class SingularityRule : std::uint8_t {
  /// Λ = U (Uᵀ W U)⁻¹ Uᵀ, U an orthonormal basis of range(J).
  kReport,
  /// Λ = (W + μ² 1)⁻¹.
  kDamped,
};

/// The rule that a row's Λ follows.
enum class TaskRule : std::uint8_t {
  kFullRank,
  kRangeRestricted,
  kDamped,
  kUndefined,  // invalid input or singular mass matrix
};

/// Bounds of a characteristic length, m. Its inverse is finite in both
/// precisions. The square of the inverse need not be in single precision:
/// states whose task has linear rows are in doubt there, and computed in
/// double.
inline constexpr double kLeastLength = 1e-30;
inline constexpr double kLargestLength = 1e30;

struct TaskOptions {
  /// Rows of the task: 0..2 angular x y z, 3..5 linear x y z.
  std::array<std::uint8_t, 6> axes{0, 1, 2, 3, 4, 5};
  int axis_count = 6;
  SingularityRule singularity = SingularityRule::kReport;
  double damping = 0;  // μ
  /// Rank = number of singular values above rank_tolerance times the largest,
  /// linear rows divided by characteristic_length (m) first. Those that are
  /// round-off beside the whole Jacobian of the frame (see FrameScale) do not
  /// count; a W that is singular to working precision lowers the rank further.
  /// A task of full rank whose smallest singular value, scaled like the frame,
  /// is at most rank_tolerance times the norm of that Jacobian is weak.
  double rank_tolerance = 1e-6;
  /// In [kLeastLength, kLargestLength].
  double characteristic_length = 1;
};

/// What the rank decision saw.
struct TaskDiagnostics {
  TaskRule rule = TaskRule::kUndefined;
  int rank = 0;
  double sigma_min = 0;  // of the scaled task Jacobian; 0 where n < m
  /// Whether the task, of full rank, hardly moves as its frame does, and its
  /// smallest singular value by the norm of the frame's whole Jacobian.
  bool weak = false;
  double share = 1;
};

/// σ_min of the scaled task Jacobian (see TaskDiagnostics) alone; `work` holds
/// m n numbers.
double SmallestTaskSingularValue(const TaskOptions& options, int n,
                                 const double* J, double* work);

/// Λ[m x m] and η[m] of one state from its task Jacobian J (m x n, row-major,
/// rows as in options.axes), its mobility W and r (see TaskMobility) and the
/// scale of its frame at that state. `work` holds m n numbers. Pass W = null
/// where the mass matrix is singular: Λ and η are then NaN, as where W is not
/// finite, and only rank and sigma_min mean something.
TaskDiagnostics SolveTask(const TaskOptions& options, const Tree& tree,
                          const FrameScale& frame, const double* J,
                          const double* W, const double* r, double* work,
                          double* lambda, double* eta);

}  // namespace torqued

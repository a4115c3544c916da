// Operational-space inertia Λ and bias η of one state, and the rank of its task
// (Khatib 1987; Lynch & Park 2017, section 8.6).
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>

namespace torqued {

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
  /// Rank = number of singular values of the task Jacobian above this times the
  /// Frobenius norm of all six rows of the frame's Jacobian; linear rows are
  /// divided by characteristic_length (m) first. Round-off limits it from below
  /// (see LeastRankTolerance). A W that is singular to working precision lowers
  /// the rank further.
  double rank_tolerance = 1e-6;
  /// In [kLeastLength, kLargestLength].
  double characteristic_length = 1;
};

/// Share of that norm up to which a singular value of the Jacobian of a frame
/// behind so many joints is round-off.
constexpr double LeastRankTolerance(int joints, double epsilon) {
  return 8 * epsilon * joints;
}

/// The largest task of this library: m axes of a robot of n joints.
inline constexpr int kMaxTaskAxes = 6;
inline constexpr int kMaxTaskDof = 256;

struct TaskRank {
  using Vectors = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic,
                                Eigen::ColMajor, kMaxTaskAxes, kMaxTaskAxes>;
  int rank = 0;
  double sigma_min = 0;  // of the scaled task Jacobian; 0 where n < m
  /// m x m: left singular vectors of the scaled task Jacobian. The first `rank`
  /// columns span its range.
  Vectors U;
};

/// Of the Jacobian of a frame, 6 x n row-major, that `joints` joints move.
TaskRank RankOfTask(const TaskOptions& options, int n, int joints,
                    const double* J);

/// What a row's Λ is.
struct TaskDiagnostics {
  TaskRule rule = TaskRule::kUndefined;
  int rank = 0;
  double sigma_min = 0;  // see TaskRank
};

/// Λ[m x m] and η[m] = Λ r from the mobility W = J M⁻¹ Jᵀ of a task and
/// r = J M⁻¹ h − J̇ q̇. Pass W = null where the mass matrix is singular: Λ and η
/// are then NaN, as where W is not finite, and only rank and sigma_min mean
/// something.
TaskDiagnostics SolveTask(const TaskOptions& options, const TaskRank& rank,
                          const double* W, const double* r, double* lambda,
                          double* eta);

}  // namespace torqued

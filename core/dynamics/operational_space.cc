#include "core/dynamics/operational_space.h"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <limits>

namespace torqued {
namespace {

using Small = TaskRank::Vectors;
/// Of fixed capacity, so that nothing is allocated.
using Columns = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic,
                              Eigen::ColMajor, kMaxTaskDof, kMaxTaskAxes>;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double RowScale(const TaskOptions& options, int axis) {
  return axis < 3 ? 1.0 : 1 / options.characteristic_length;
}

int Axis(const TaskOptions& options, int k) {
  return options.axes[static_cast<std::size_t>(k)];
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
    range.row(i) /= RowScale(options, Axis(options, i));
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

}  // namespace

TaskRank RankOfTask(const TaskOptions& options, int n, int joints,
                    const double* J) {
  const int m = options.axis_count;
  TaskRank result;
  result.U.setIdentity(m, m);
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
    const int axis = Axis(options, k);
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
  result.U = svd.matrixU();
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
  TaskDiagnostics diagnostics;
  diagnostics.sigma_min = rank.sigma_min;
  diagnostics.rank = rank.rank;
  const bool defined = W != nullptr && std::all_of(W, W + m * m, [](double w) {
                         return std::isfinite(w);
                       });
  Small solved = Small::Constant(m, m, kNaN);
  if (defined) {
    const Small mobility = Eigen::Map<const Eigen::MatrixXd>(W, m, m);
    if (rank.rank == m && InvertSymmetric(mobility, solved)) {
      diagnostics.rule = TaskRule::kFullRank;
    } else {
      // J may have full rank and W still lose it to round-off.
      diagnostics.rank = std::min(rank.rank, m - 1);
      if (options.singularity == SingularityRule::kDamped) {
        diagnostics.rule = TaskRule::kDamped;
        const Small damped = mobility + Small::Identity(m, m) *
                                            (options.damping * options.damping);
        InvertSymmetric(damped, solved);
      } else {
        diagnostics.rule = TaskRule::kRangeRestricted;
        diagnostics.rank =
            SolveOnRange(options, rank.U, diagnostics.rank, mobility, solved);
      }
    }
  }
  for (int i = 0; i < m; ++i) {
    eta[i] = defined ? 0 : kNaN;
    for (int j = 0; j < m; ++j) {
      lambda[i * m + j] = solved(i, j);
      if (defined) eta[i] += solved(i, j) * r[j];
    }
  }
  return diagnostics;
}

}  // namespace torqued

#include "core/dynamics/operational_space.h"

#include <cmath>
#include <limits>

#include "core/dynamics/ldlt.h"
#include "core/dynamics/task_rank.h"

namespace torqued {
namespace {

constexpr int kMax = kMaxTaskAxes;
constexpr int kMaxSquare = kMax * kMax;

/// inverse[m x m] of a symmetric positive definite A[m x m].
void InvertSymmetric(int m, const double* A, double* inverse) {
  double factors[kMaxSquare] = {};
  for (int k = 0; k < m * m; ++k) factors[k] = A[k];
  FactorLdlt(m, factors);
  for (int j = 0; j < m; ++j) {
    double column[kMax] = {};
    column[j] = 1;
    SolveLdlt(m, factors, column);
    // The lower half of each column, mirrored: exactly symmetric.
    for (int i = j; i < m; ++i) {
      inverse[i * m + j] = column[i];
      inverse[j * m + i] = column[i];
    }
  }
}

/// Columns 0..r-1 of B[m x r] made orthonormal by Gram-Schmidt, twice (which
/// is enough: Giraud et al. 2005).
void Orthonormalize(int m, int r, double* B) {
  for (int k = 0; k < r; ++k) {
    for (int pass = 0; pass < 2; ++pass) {
      for (int j = 0; j < k; ++j) {
        double dot = 0;
        for (int i = 0; i < m; ++i) dot += B[i * r + j] * B[i * r + k];
        for (int i = 0; i < m; ++i) B[i * r + k] -= dot * B[i * r + j];
      }
    }
    double norm = 0;
    for (int i = 0; i < m; ++i) norm += B[i * r + k] * B[i * r + k];
    norm = std::sqrt(norm);
    for (int i = 0; i < m; ++i) B[i * r + k] /= norm;
  }
}

/// Λ = U (Uᵀ W U)⁻¹ Uᵀ with U[m x r] orthonormal.
void RestrictToRange(int m, int r, const double* U, const double* W,
                     double* lambda) {
  double K[kMaxSquare] = {}, K_inverse[kMaxSquare] = {};
  for (int a = 0; a < r; ++a) {
    for (int b = 0; b < r; ++b) {
      double sum = 0;
      for (int i = 0; i < m; ++i) {
        for (int j = 0; j < m; ++j) {
          sum += U[i * r + a] * W[i * m + j] * U[j * r + b];
        }
      }
      K[a * r + b] = sum;
    }
  }
  InvertSymmetric(r, K, K_inverse);
  for (int i = 0; i < m; ++i) {
    for (int j = i; j < m; ++j) {
      double sum = 0;
      for (int a = 0; a < r; ++a) {
        for (int b = 0; b < r; ++b) {
          sum += U[i * r + a] * K_inverse[a * r + b] * U[j * r + b];
        }
      }
      lambda[i * m + j] = sum;
      lambda[j * m + i] = sum;
    }
  }
}

/// Factor of task row k in the rank decision: linear rows are divided by the
/// characteristic length.
double RowScale(const TaskOptions& options, int k) {
  const bool linear = options.axes[static_cast<std::size_t>(k)] >= 3;
  return linear ? 1 / options.characteristic_length : 1.0;
}

}  // namespace

TaskDiagnostics SolveTask(const TaskOptions& options, int n, const double* J,
                          const double* W, const double* r, double* work,
                          double* lambda, double* eta) {
  const int m = options.axis_count;
  for (int i = 0; i < m; ++i) {
    const double scale = RowScale(options, i);
    for (int k = 0; k < n; ++k) work[i * n + k] = J[i * n + k] * scale;
  }
  const TaskSpectrum spectrum = DecomposeRows(m, n, work);
  TaskDiagnostics diagnostics;
  diagnostics.sigma_min = n < m ? 0 : spectrum.sigma[m - 1];
  for (int k = 0; k < m; ++k) {
    const double sigma = spectrum.sigma[k];
    if (sigma > options.rank_tolerance * spectrum.sigma[0]) ++diagnostics.rank;
  }

  if (W == nullptr) {
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    for (int k = 0; k < m * m; ++k) lambda[k] = kNaN;
    for (int k = 0; k < m; ++k) eta[k] = kNaN;
    return diagnostics;
  }
  if (diagnostics.rank == m) {
    diagnostics.rule = TaskRule::kFullRank;
    InvertSymmetric(m, W, lambda);
  } else if (options.singularity == SingularityRule::kDamped) {
    diagnostics.rule = TaskRule::kDamped;
    double damped[kMaxSquare] = {};
    for (int k = 0; k < m * m; ++k) damped[k] = W[k];
    for (int k = 0; k < m; ++k) {
      damped[k * m + k] += options.damping * options.damping;
    }
    InvertSymmetric(m, damped, lambda);
  } else {
    diagnostics.rule = TaskRule::kRangeRestricted;
    // range(J) = S⁻¹ range(S J): unscale the singular vectors.
    const int rank = diagnostics.rank;
    double U[kMaxSquare] = {};
    for (int i = 0; i < m; ++i) {
      for (int k = 0; k < rank; ++k) {
        U[i * rank + k] = spectrum.U[i * kMax + k] / RowScale(options, i);
      }
    }
    Orthonormalize(m, rank, U);
    RestrictToRange(m, rank, U, W, lambda);
  }
  for (int i = 0; i < m; ++i) {
    double sum = 0;
    for (int j = 0; j < m; ++j) sum += lambda[i * m + j] * r[j];
    eta[i] = sum;
  }
  return diagnostics;
}

}  // namespace torqued

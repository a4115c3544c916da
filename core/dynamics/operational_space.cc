#include "core/dynamics/operational_space.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/dynamics/ldlt.h"
#include "core/dynamics/rank_decision.h"
#include "core/dynamics/task_rank.h"

namespace torqued {
namespace {

constexpr int kMax = kMaxTaskAxes;
constexpr int kMaxSquare = kMax * kMax;
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// inverse[m x m] of a symmetric positive definite A[m x m]; false when a pivot
/// is lost in round-off, which leaves `inverse` as it was.
bool InvertSymmetric(int m, const double* A, double* inverse) {
  double factors[kMaxSquare] = {};
  for (int k = 0; k < m * m; ++k) factors[k] = A[k];
  FactorLdlt(m, factors);
  for (int k = 0; k < m; ++k) {
    const int diagonal = k * m + k;
    if (!(factors[diagonal] > m * kEpsilon * A[diagonal])) return false;
  }
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
  return true;
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

/// Λ = U (Uᵀ W U)⁻¹ Uᵀ with U[m x r] orthonormal; false when Uᵀ W U is singular
/// to working precision.
bool RestrictToRange(int m, int r, const double* U, const double* W,
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
  if (!InvertSymmetric(r, K, K_inverse)) return false;
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
  return true;
}

/// Range-restricted Λ for the largest rank up to `rank` at which Uᵀ W U is
/// regular to working precision; returns that rank.
int SolveOnRange(const TaskOptions& options, const TaskSpectrum& spectrum,
                 int rank, const double* W, double* lambda) {
  const int m = options.axis_count;
  for (; rank > 0; --rank) {
    // range(J) = S⁻¹ range(S J): unscale the singular vectors.
    double U[kMaxSquare] = {};
    for (int i = 0; i < m; ++i) {
      for (int k = 0; k < rank; ++k) {
        U[i * rank + k] = spectrum.U[i * kMax + k] / RowScale(options, i);
      }
    }
    Orthonormalize(m, rank, U);
    if (RestrictToRange(m, rank, U, W, lambda)) return rank;
  }
  std::fill_n(lambda, m * m, 0.0);
  return 0;
}

/// Λ = (W + μ² 1)⁻¹; NaN where that is singular to working precision.
void SolveDamped(const TaskOptions& options, const double* W, double* lambda) {
  const int m = options.axis_count;
  double damped[kMaxSquare] = {};
  std::copy_n(W, m * m, damped);
  for (int k = 0; k < m; ++k) {
    damped[k * m + k] += options.damping * options.damping;
  }
  if (!InvertSymmetric(m, damped, lambda)) std::fill_n(lambda, m * m, kNaN);
}

}  // namespace

double SmallestTaskSingularValue(const TaskOptions& options, int n,
                                 const double* J, double* work) {
  const int m = options.axis_count;
  ScaleTaskRows(options, n, J, work);
  const TaskSpectrum spectrum = DecomposeRows(m, n, work);
  return n < m ? 0 : spectrum.sigma[m - 1];
}

TaskDiagnostics SolveTask(const TaskOptions& options, const Tree& tree,
                          const FrameScale& frame, const double* J,
                          const double* W, const double* r, double* work,
                          double* lambda, double* eta) {
  const int m = options.axis_count;
  const RankDecision decision = DecideRank(options, tree, frame, J, work);
  TaskDiagnostics diagnostics;
  diagnostics.sigma_min = decision.sigma_min;
  diagnostics.rank = decision.rank;

  const bool defined = W != nullptr && std::all_of(W, W + m * m, [](double w) {
                         return std::isfinite(w);
                       });
  if (!defined) {
    std::fill_n(lambda, m * m, kNaN);
    std::fill_n(eta, m, kNaN);
    return diagnostics;
  }
  if (diagnostics.rank == m && InvertSymmetric(m, W, lambda)) {
    diagnostics.rule = TaskRule::kFullRank;
    diagnostics.weak = decision.weak;
    diagnostics.share = decision.share;
  } else {
    // J may have full rank and W still lose it to round-off.
    const int rank = std::min(diagnostics.rank, m - 1);
    if (options.singularity == SingularityRule::kDamped) {
      diagnostics.rule = TaskRule::kDamped;
      diagnostics.rank = rank;
      SolveDamped(options, W, lambda);
    } else {
      diagnostics.rule = TaskRule::kRangeRestricted;
      diagnostics.rank =
          SolveOnRange(options, decision.spectrum, rank, W, lambda);
    }
  }
  for (int i = 0; i < m; ++i) {
    double sum = 0;
    for (int j = 0; j < m; ++j) sum += lambda[i * m + j] * r[j];
    eta[i] = sum;
  }
  return diagnostics;
}

}  // namespace torqued

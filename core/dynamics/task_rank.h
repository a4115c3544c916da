// Numerical rank of a task Jacobian.
#pragma once

namespace torqued {

inline constexpr int kMaxTaskAxes = 6;

/// Singular values and left singular vectors of a matrix of up to six rows.
struct TaskSpectrum {
  double sigma[kMaxTaskAxes];             // falling
  double U[kMaxTaskAxes * kMaxTaskAxes];  // column k belongs to sigma[k]
};

/// One-sided (Hestenes) Jacobi on the m rows of A (m x n, row-major), which
/// are overwritten: rows are rotated in pairs until they are orthogonal, their
/// norms then are the singular values (Golub & Van Loan 2013, section 8.6).
/// Accurate to a few ulp of the largest, for any m <= 6 and n >= 0.
TaskSpectrum DecomposeRows(int m, int n, double* A);

}  // namespace torqued

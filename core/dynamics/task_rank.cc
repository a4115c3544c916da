#include "core/dynamics/task_rank.h"

#include <cmath>
#include <limits>
#include <numeric>

namespace torqued {
namespace {

constexpr int kMaxSweeps = 40;

/// Rotates x ← c x − s y, y ← s x + c y, element by element.
void RotatePair(int n, int stride, double* x, double* y, double c, double s) {
  for (int k = 0; k < n; ++k) {
    const double xk = x[k * stride], yk = y[k * stride];
    x[k * stride] = c * xk - s * yk;
    y[k * stride] = s * xk + c * yk;
  }
}

/// Makes two rows orthogonal; false when they already are.
bool Orthogonalize(int m, int n, double* A, double* U, int i, int j) {
  double* x = A + i * n;
  double* y = A + j * n;
  const double xx = std::inner_product(x, x + n, x, 0.0);
  const double yy = std::inner_product(y, y + n, y, 0.0);
  const double xy = std::inner_product(x, x + n, y, 0.0);
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  // Covers zero rows too, whose product underflows to zero.
  if (!(std::abs(xy) > kEpsilon * std::sqrt(xx) * std::sqrt(yy))) return false;
  // Smaller root of t² + 2 ζ t − 1 = 0 annihilates the off-diagonal.
  const double zeta = (yy - xx) / (2 * xy);
  const double t =
      std::copysign(1.0, zeta) / (std::abs(zeta) + std::sqrt(1 + zeta * zeta));
  const double c = 1 / std::sqrt(1 + t * t);
  const double s = c * t;
  RotatePair(n, 1, x, y, c, s);
  RotatePair(m, kMaxTaskAxes, U + i, U + j, c, s);
  return true;
}

}  // namespace

TaskSpectrum DecomposeRows(int m, int n, double* A) {
  double U[kMaxTaskAxes * kMaxTaskAxes] = {};
  for (int i = 0; i < m; ++i) U[i * kMaxTaskAxes + i] = 1;
  bool rotated = true;
  for (int sweep = 0; rotated && sweep < kMaxSweeps; ++sweep) {
    rotated = false;
    for (int i = 0; i < m; ++i) {
      for (int j = i + 1; j < m; ++j) {
        rotated = Orthogonalize(m, n, A, U, i, j) || rotated;
      }
    }
  }
  double norms[kMaxTaskAxes] = {};
  int order[kMaxTaskAxes] = {};
  for (int i = 0; i < m; ++i) {
    const double* row = A + i * n;
    norms[i] = std::sqrt(std::inner_product(row, row + n, row, 0.0));
    int place = i;
    for (; place > 0 && norms[order[place - 1]] < norms[i]; --place) {
      order[place] = order[place - 1];
    }
    order[place] = i;
  }
  TaskSpectrum spectrum = {};
  for (int k = 0; k < m; ++k) {
    spectrum.sigma[k] = norms[order[k]];
    for (int i = 0; i < m; ++i) {
      spectrum.U[i * kMaxTaskAxes + k] = U[i * kMaxTaskAxes + order[k]];
    }
  }
  return spectrum;
}

}  // namespace torqued

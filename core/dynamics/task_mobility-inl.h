#pragma once

#include "core/dynamics/ldlt-inl.h"
#include "core/dynamics/task_mobility.h"

namespace torqued {
inline namespace TORQUED_TARGET {

template <class T>
void TaskMobility(int m, int n, const T* J, const T* LD, const T* h,
                  const T* drift, T* Y, T* W, T* r) {
  for (int k = 0; k < m * n; ++k) Y[k] = J[k];
  for (int k = 0; k < n; ++k) Y[m * n + k] = h[k];
  for (int i = 0; i <= m; ++i) ForwardSubstitute(n, LD, Y + i * n);
  // W_ij = Σ_k Y_ik Y_jk / D_k;  r_i = Σ_k Y_ik Y_hk / D_k − drift_i
  for (int i = 0; i < m; ++i) {
    for (int j = i; j <= m; ++j) {
      T sum(0);
      for (int k = 0; k < n; ++k) {
        sum = sum + Y[i * n + k] * Y[j * n + k] / LD[k * n + k];
      }
      if (j == m) {
        r[i] = sum - drift[i];
      } else {
        W[i * m + j] = sum;
        W[j * m + i] = sum;
      }
    }
  }
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

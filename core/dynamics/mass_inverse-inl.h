#pragma once

#include "core/dynamics/mass_inverse.h"

namespace torqued {
inline namespace TORQUED_TARGET {

template <class T>
void MassMatrixInverse(int n, const T* LD, T* inverse) {
  // K = L⁻¹ strictly below the diagonal, and D⁻¹ on it.
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) {
      // Row i of L is read from j on, and K_ij stands where L_ij stood.
      T sum = LD[i * n + j];
      for (int k = j + 1; k < i; ++k) {
        sum = sum + LD[i * n + k] * inverse[k * n + j];
      }
      inverse[i * n + j] = -sum;
    }
    inverse[i * n + i] = T(1) / LD[i * n + i];
  }
  // M⁻¹ = Kᵀ D⁻¹ K. Row i of the lower half needs K from row i on, so that it
  // may take the place of row i of K.
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) {
      T sum = inverse[i * n + i];
      if (j < i) sum = sum * inverse[i * n + j];
      for (int k = i + 1; k < n; ++k) {
        sum =
            sum + inverse[k * n + i] * inverse[k * n + k] * inverse[k * n + j];
      }
      inverse[i * n + j] = sum;
      inverse[j * n + i] = sum;
    }
  }
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

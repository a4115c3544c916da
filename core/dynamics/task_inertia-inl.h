// Operational-space inertia and bias from a factorized mass matrix (Khatib
// 1987), for task Jacobians of full rank.
#pragma once

#include "core/dynamics/ltdl-inl.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// The joints from the base to the tip: those that the task's rows belong to.
struct TipPath {
  const int* joints;
  int length;
  TORQUED_INLINE int operator[](int a) const { return joints[a]; }
};
/// All joints of a chain.
template <class Size>
struct WholeChain {
  Size length;
  template <class I>
  TORQUED_INLINE I operator[](I a) const {
    return a;
  }
};

/// What TaskInertia makes of a state with m ≤ 6 task rows.
template <class T>
struct TaskResult {
  T mobility[PackedSize(6)];  // W = J M⁻¹ Jᵀ, packed
  T pivots[6];                // of W
  T lambda[PackedSize(6)];    // W⁻¹, packed
};

/// `rows` are the m rows of the task Jacobian, n numbers each; LD and
/// `reciprocal` are the factors of M. Leaves J L⁻¹ in Y: m numbers for each
/// joint of the path. Sizes are int or Int<k>.
template <class Rows, class Path, class T>
TORQUED_INLINE void TaskInertia(Rows m, const Path& path, const T* const* rows,
                                const T* LD, const T* reciprocal, T* Y,
                                TaskResult<T>& result) {
  constexpr Int<0> kFirst;
  T W[PackedSize(6)];
  For(kFirst, m, [&](auto i) TORQUED_INLINE_BODY {
    For(kFirst, Next(i),
        [&](auto j) TORQUED_INLINE_BODY { W[PackedRow(i) + j] = T(0); });
  });
  // Y L = J from the tip to the base, and W = Y D⁻¹ Yᵀ.
  ForDown(kFirst, path.length, [&](auto a) TORQUED_INLINE_BODY {
    const auto k = path[a];
    T y[6];
    For(kFirst, m, [&](auto i) TORQUED_INLINE_BODY { y[i] = rows[i][k]; });
    For(Next(a), path.length, [&](auto b) TORQUED_INLINE_BODY {
      const T& l = LD[PackedRow(path[b]) + k];
      For(kFirst, m,
          [&](auto i) TORQUED_INLINE_BODY { y[i] = y[i] - l * Y[b * m + i]; });
    });
    For(kFirst, m, [&](auto i) TORQUED_INLINE_BODY {
      Y[a * m + i] = y[i];
      const T scaled = y[i] * reciprocal[k];
      For(kFirst, Next(i), [&](auto j) TORQUED_INLINE_BODY {
        T& entry = W[PackedRow(i) + j];
        entry = entry + scaled * y[j];
      });
    });
  });
  For(kFirst, m, [&](auto i) TORQUED_INLINE_BODY {
    For(kFirst, Next(i), [&](auto j) TORQUED_INLINE_BODY {
      result.mobility[PackedRow(i) + j] = W[PackedRow(i) + j];
    });
  });
  T inverse_pivots[6];
  const Chain<Rows> axes{m};
  FactorLtdl(axes, W, inverse_pivots);
  For(kFirst, m, [&](auto i) TORQUED_INLINE_BODY {
    result.pivots[i] = W[PackedRow(i) + i];
  });
  InvertLtdl(axes, W, inverse_pivots, PackedEntries<T>{result.lambda});
}

/// η = Λ (J M⁻¹ h − drift), with Y and Λ as TaskInertia leaves them. `y_h` is
/// scratch, n numbers.
template <class Rows, class Joints, class Path, class T>
TORQUED_INLINE void TaskBias(Rows m, const Joints& joints, const Path& path,
                             const T* LD, const T* reciprocal, const T* Y,
                             const T* lambda, const T* h, const T* drift,
                             T* y_h, T* eta) {
  constexpr Int<0> kFirst;
  For(kFirst, joints.n, [&](auto k) TORQUED_INLINE_BODY { y_h[k] = h[k]; });
  SolveInward(joints, LD, y_h);
  T r[6];
  For(kFirst, m, [&](auto i) TORQUED_INLINE_BODY { r[i] = -drift[i]; });
  For(kFirst, path.length, [&](auto a) TORQUED_INLINE_BODY {
    const auto k = path[a];
    const T scaled = y_h[k] * reciprocal[k];
    For(kFirst, m, [&](auto i) TORQUED_INLINE_BODY {
      r[i] = r[i] + Y[a * m + i] * scaled;
    });
  });
  For(kFirst, m, [&](auto i) TORQUED_INLINE_BODY {
    T sum(0);
    For(kFirst, m, [&](auto j) TORQUED_INLINE_BODY {
      sum = sum + lambda[PackedEntry(i, j)] * r[j];
    });
    eta[i] = sum;
  });
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

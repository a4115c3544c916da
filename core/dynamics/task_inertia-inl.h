// Operational-space inertia and bias from a factorized mass matrix (Khatib
// 1987), for task Jacobians of full rank, and cheap certificates that they are
// of full rank: that σ_min² of the scaled Jacobian S J is above a bound.
//
// For a positive definite A, λ_min(A) ≥ 1 / trace A⁻¹, which is at hand where A
// has been inverted. From the factors alone: for A (k x k) with pivots p_i,
// scaled to unit diagonal, the product of p_i / A_ii is the determinant and the
// other eigenvalues sum to k at most, so
//   λ_min ≥ Π (p_i / A_ii) ((k − 1) / k)^(k − 1) ≥ Π (p_i / A_ii) / e.
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

/// Results of TaskInertia for a state with m ≤ 6 task rows.
template <class T>
struct TaskResult {
  T mobility[PackedSize(6)];  // W = J M⁻¹ Jᵀ, packed
  T pivots[6];                // of W
  T lambda[PackedSize(6)];    // W⁻¹, packed
};

/// The pivots and the inverse of a symmetric A (k x k), packed.
template <class Size, class T>
TORQUED_INLINE void InvertPacked(Size k, const T* A, T* pivots, T* inverse) {
  constexpr Int<0> kFirst;
  T factors[PackedSize(6)], reciprocal[6];
  For(kFirst, k, [&](auto i) TORQUED_INLINE_BODY {
    For(kFirst, Next(i), [&](auto j) TORQUED_INLINE_BODY {
      factors[PackedRow(i) + j] = A[PackedRow(i) + j];
    });
  });
  FactorLtdl(Chain<Size>{k}, factors, reciprocal);
  For(kFirst, k, [&](auto i) TORQUED_INLINE_BODY {
    pivots[i] = factors[PackedRow(i) + i];
  });
  InvertLtdl(Chain<Size>{k}, factors, reciprocal, PackedEntries<T>{inverse});
}

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
  InvertPacked(m, static_cast<const T*>(W), result.pivots, result.lambda);
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

/// The scaling S of task rows, squared and inverted.
template <class N>
struct RowScales {
  N inverse_square[6];
};

/// ‖S J‖² of all six rows of a Jacobian, 6 x n, of the tip at the end of
/// `path`.
template <class Path, class T>
TORQUED_INLINE T ScaledNorm(const Path& path, int n, const T* J,
                            typename T::Number linear_square) {
  T angular[3], linear[3];  // sums that do not wait for each other
  for (int i = 0; i < 3; ++i) {
    angular[i] = T(typename T::Number(0));
    linear[i] = angular[i];
  }
  for (int a = 0; a < path.length; ++a) {
    for (int i = 0; i < 3; ++i) {
      const T &w = J[i * n + path[a]], &v = J[(3 + i) * n + path[a]];
      angular[i] = Fma(w, w, angular[i]);
      linear[i] = Fma(v, v, linear[i]);
    }
  }
  return Fma(linear[0] + linear[1] + linear[2], T(linear_square),
             angular[0] + angular[1] + angular[2]);
}

/// Whether the pivots of A (k x k) are its own and not round-off: they are
/// positive, and λ_min of A scaled to unit diagonal is above `least`. A and its
/// inverse are packed.
template <class Size, class T>
TORQUED_INLINE auto PivotsAreSound(Size k, const T* pivots, const T* A,
                                   const T* inverse, typename T::Number least) {
  T smallest = pivots[0], trace = A[0] * inverse[0];
  For(Int<1>{}, k, [&](auto i) TORQUED_INLINE_BODY {
    smallest = Min(smallest, pivots[i]);
    trace = trace + A[PackedEntry(i, i)] * inverse[PackedEntry(i, i)];
  });
  using N = typename T::Number;
  return (smallest > T(N(0))) & (trace < T(N(1) / least));
}

/// From the inverse Λ of the mobility W = J M⁻¹ Jᵀ (m x m), with
/// x SJJᵀS x ≥ λ_min(M) x SWS x. True only where W's pivots are sound.
template <class Rows, class Size, class T, class N>
TORQUED_INLINE auto MobilityShowsRank(Rows m, Size n,
                                      const RowScales<N>& scales,
                                      const T& bound, const TaskResult<T>& task,
                                      const T* M_diagonal,
                                      const T* M_reciprocal) {
  T least = M_diagonal[0];
  T inverse_determinant = M_diagonal[0] * M_reciprocal[0];
  For(Int<1>{}, n, [&](auto i) TORQUED_INLINE_BODY {
    least = Min(least, M_diagonal[i]);
    inverse_determinant =
        inverse_determinant * (M_diagonal[i] * M_reciprocal[i]);
  });
  T trace_of_inverse(N(0));
  For(Int<0>{}, m, [&](auto i) TORQUED_INLINE_BODY {
    trace_of_inverse = trace_of_inverse + task.lambda[PackedEntry(i, i)] *
                                              T(scales.inverse_square[i]);
  });
  constexpr double kOneOverE = 0.36787944117144233;
  return least * T(static_cast<N>(kOneOverE)) >
         inverse_determinant * trace_of_inverse * bound;
}

/// From SJJᵀS itself: dearer and sharper. True only where the pivots of JJᵀ are
/// sound.
template <class Rows, class Path, class T, class N>
TORQUED_INLINE auto JacobianShowsRank(Rows m, const Path& path,
                                      const T* const* rows,
                                      const RowScales<N>& scales,
                                      const T& bound, N least_sound) {
  T G[PackedSize(6)], pivots[6], inverse[PackedSize(6)];
  For(Int<0>{}, m, [&](auto i) TORQUED_INLINE_BODY {
    For(Int<0>{}, Next(i), [&](auto j) TORQUED_INLINE_BODY {
      T sum(N(0));
      For(Int<0>{}, path.length, [&](auto a) TORQUED_INLINE_BODY {
        sum = sum + rows[i][path[a]] * rows[j][path[a]];
      });
      G[PackedRow(i) + j] = sum;
    });
  });
  InvertPacked(m, static_cast<const T*>(G), pivots, inverse);
  T trace_of_inverse(N(0));
  For(Int<0>{}, m, [&](auto i) TORQUED_INLINE_BODY {
    trace_of_inverse = trace_of_inverse +
                       inverse[PackedEntry(i, i)] * T(scales.inverse_square[i]);
  });
  return PivotsAreSound(m, static_cast<const T*>(pivots),
                        static_cast<const T*>(G),
                        static_cast<const T*>(inverse), least_sound) &
         (T(N(1)) > trace_of_inverse * bound);
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

#pragma once

#include "core/dynamics/forward_derivatives.h"
#include "core/dynamics/packed_ldlt-inl.h"
#include "core/dynamics/rnea_derivatives-inl.h"

namespace torqued {
inline namespace TORQUED_TARGET {

template <class T>
void CarveForwardDerivatives(unsigned long n, Carver& carver,
                             ForwardDerivativesScratch<T>& s) {
  carver.Take(s.dtau_dq, n * n);
  carver.Take(s.dtau_dv, n * n);
  carver.Take(s.diagonal, n);
  carver.Take(s.pivots, n);
  carver.Take(s.matrix, n * (n + 1) / 2);
  carver.Take(s.column, n);
}

/// Room for numbers: on the stack, and so in registers, where it is known how
/// many.
template <class Count, class T>
struct Room {
  explicit TORQUED_INLINE Room(T* given) : numbers(given) {}
  T* numbers;
};
template <int kCount, class T>
struct Room<Int<kCount>, T> {
  explicit TORQUED_INLINE Room(T* /*given*/) {}
  T numbers[kCount];
};

TORQUED_INLINE constexpr int PackedCount(int n) { return PackedSize(n); }
template <int kSize>
TORQUED_INLINE constexpr Int<PackedSize(kSize)> PackedCount(Int<kSize> /*n*/) {
  return {};
}

/// M ← M⁻¹, whole, from the lower half of M, by sweeping one column after the
/// other (Goodnight 1979, "A tutorial on the SWEEP operator"): as many products
/// as by factors, of which fewer wait for each other.
template <class Size, class T>
TORQUED_ONE_COPY void InvertMassMatrix(Size n,
                                       const ForwardDerivativesScratch<T>& own,
                                       T* M) {
  constexpr Int<0> kFirst;
  Room<decltype(PackedCount(n)), T> matrix(own.matrix);
  Room<Size, T> numbers(own.column);
  T* const A = matrix.numbers;
  T* const column = numbers.numbers;
  For(kFirst, n, [&](auto i) TORQUED_INLINE_BODY {
    For(kFirst, Next(i), [&](auto j) TORQUED_INLINE_BODY {
      A[PackedRow(i) + j] = M[i * n + j];
    });
    own.diagonal[i] = M[i * n + i];
  });
  For(kFirst, n, [&](auto k) TORQUED_INLINE_BODY {
    T* const A_k = A + PackedRow(k);
    const T pivot = A_k[k];
    const T reciprocal = T(1) / pivot;
    own.pivots[k] = pivot;
    For(kFirst, Next(k),
        [&](auto i) TORQUED_INLINE_BODY { column[i] = A_k[i]; });
    For(Next(k), n,
        [&](auto i) TORQUED_INLINE_BODY { column[i] = A[PackedRow(i) + k]; });
    // A_ij −= A_ik A_kj / A_kk;  A_ik ← A_ik / A_kk;  A_kk ← −1 / A_kk
    const auto sweep_row = [&](auto i) TORQUED_INLINE_BODY {
      T* const A_i = A + PackedRow(i);
      const T scaled = column[i] * reciprocal;
      For(kFirst, Next(i), [&](auto j) TORQUED_INLINE_BODY {
        A_i[j] = A_i[j] - scaled * column[j];
      });
    };
    For(kFirst, k, sweep_row);
    For(Next(k), n, sweep_row);
    For(kFirst, k,
        [&](auto i) TORQUED_INLINE_BODY { A_k[i] = column[i] * reciprocal; });
    For(Next(k), n, [&](auto i) TORQUED_INLINE_BODY {
      A[PackedRow(i) + k] = column[i] * reciprocal;
    });
    A_k[k] = -reciprocal;
  });
  // Swept in all columns it is −M⁻¹.
  For(kFirst, n, [&](auto i) TORQUED_INLINE_BODY {
    For(kFirst, Next(i), [&](auto j) TORQUED_INLINE_BODY {
      const T entry = -A[PackedRow(i) + j];
      M[i * n + j] = entry;
      M[j * n + i] = entry;
    });
  });
}

/// kRows x kColumns entries of C = −A B, n x n.
template <int kRows, int kColumns, class Size, class T>
TORQUED_INLINE void MinusProductBlock(Size n, const T* A, const T* B, T* C) {
  T sum[kRows][kColumns];
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < kColumns; ++j) sum[i][j] = T(0);
  }
  For(Int<0>{}, n, [&](auto k) TORQUED_INLINE_BODY {
    for (int i = 0; i < kRows; ++i) {
      const T a = A[i * n + k];
      for (int j = 0; j < kColumns; ++j) sum[i][j] -= a * B[k * n + j];
    }
  });
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < kColumns; ++j) C[i * n + j] = sum[i][j];
  }
}

template <int kRows, class Size, class T>
TORQUED_INLINE void MinusProductRows(Size n, const T* A, const T* B, T* C) {
  const int blocks = n - n % 3;
  for (int j = 0; j < blocks; j += 3) {
    MinusProductBlock<kRows, 3>(n, A, B + j, C + j);
  }
  for (int j = blocks; j < n; ++j) {
    MinusProductBlock<kRows, 1>(n, A, B + j, C + j);
  }
}

/// C = −A B, n x n, in blocks that fit into registers.
template <class Size, class T>
TORQUED_ONE_COPY void MinusProduct(Size n, const T* A, const T* B, T* C) {
  const int blocks = n - n % 3;
  for (int i = 0; i < blocks; i += 3) {
    MinusProductRows<3>(n, A + i * n, B, C + i * n);
  }
  for (int i = blocks; i < n; ++i) {
    MinusProductRows<1>(n, A + i * n, B, C + i * n);
  }
}

template <class Size, class T>
TORQUED_INLINE void SolveSized(Size n, const ForwardDerivativesScratch<T>& own,
                               T* da_dq, T* da_dv, T* da_dtau) {
  InvertMassMatrix(n, own, da_dtau);
  MinusProduct(n, static_cast<const T*>(da_dtau),
               static_cast<const T*>(own.dtau_dq), da_dq);
  MinusProduct(n, static_cast<const T*>(da_dtau),
               static_cast<const T*>(own.dtau_dv), da_dv);
}

template <class T>
void SolveForwardDerivatives(int n, const ForwardDerivativesScratch<T>& own,
                             T* da_dq, T* da_dv, T* da_dtau) {
  // Arms with and without a gripper are unrolled.
  switch (n) {
    case 6:
      return SolveSized(Int<6>{}, own, da_dq, da_dv, da_dtau);
    case 7:
      return SolveSized(Int<7>{}, own, da_dq, da_dv, da_dtau);
    case 8:
      return SolveSized(Int<8>{}, own, da_dq, da_dv, da_dtau);
    case 9:
      return SolveSized(Int<9>{}, own, da_dq, da_dv, da_dtau);
    default:
      return SolveSized(n, own, da_dq, da_dv, da_dtau);
  }
}

template <class T>
void ForwardDynamicsDerivatives(const Tree& tree, const DynamicsTerms& terms,
                                const T* v, const T* a,
                                const Scratch<T>& scratch,
                                const RneaDerivativesScratch<T>& inverse,
                                const ForwardDerivativesScratch<T>& own,
                                T* da_dq, T* da_dv, T* da_dtau) {
  InverseDynamicsDerivatives(tree, terms, v, a, scratch, inverse, own.dtau_dq,
                             own.dtau_dv, da_dtau);
  SolveForwardDerivatives(tree.n, own, da_dq, da_dv, da_dtau);
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

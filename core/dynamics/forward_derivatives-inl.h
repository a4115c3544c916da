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
  carver.Take(s.L, n * (n + 1) / 2);
  carver.Take(s.diagonal, n);
  carver.Take(s.reciprocal, n);
  carver.Take(s.column, n);
}

/// M⁻¹ = L⁻ᵀ D⁻¹ L⁻¹, whole, from M, of which the lower half is read.
template <class Size, class T>
TORQUED_ONE_COPY void InvertMassMatrix(Size n,
                                       const ForwardDerivativesScratch<T>& own,
                                       T* M) {
  constexpr Int<0> kFirst;
  T* const L = own.L;
  For(kFirst, n, [&](auto i) TORQUED_INLINE_BODY {
    For(kFirst, Next(i), [&](auto j) TORQUED_INLINE_BODY {
      L[PackedRow(i) + j] = M[i * n + j];
    });
    own.diagonal[i] = M[i * n + i];
  });
  FactorPacked(n, L, own.reciprocal);
  InvertUnitLowerPacked(n, L);
  // (M⁻¹)_ij = Σ_{k ≥ i} L⁻¹_ki L⁻¹_kj / D_k for i ≥ j; the diagonal of L⁻¹
  // is 1.
  T* const column = own.column;
  For(kFirst, n, [&](auto i) TORQUED_INLINE_BODY {
    const T first = own.reciprocal[i];
    T self = first;
    For(Next(i), n, [&](auto k) TORQUED_INLINE_BODY {
      const T l = L[PackedRow(k) + i];
      const T scaled = l * own.reciprocal[k];
      column[k] = scaled;
      self = self + scaled * l;
    });
    M[i * n + i] = self;
    For(kFirst, i, [&](auto j) TORQUED_INLINE_BODY {
      T sum = first * L[PackedRow(i) + j];
      For(Next(i), n, [&](auto k) TORQUED_INLINE_BODY {
        sum = sum + column[k] * L[PackedRow(k) + j];
      });
      M[i * n + j] = sum;
      M[j * n + i] = sum;
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

// Derivatives of forward dynamics from those of inverse dynamics (Carpentier &
// Mansard 2018, "Analytical derivatives of rigid body dynamics algorithms").
#pragma once

#include "core/dynamics/scratch_layout-inl.h"
#include "core/model/lowered_tree.h"
#include "core/spatial/static_for.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// Memory of SolveForwardDerivatives, for n bodies.
template <class T>
struct ForwardDerivativesScratch {
  T* dtau_dq;  // n x n
  T* dtau_dv;  // n x n
};

template <class T>
void CarveForwardDerivatives(unsigned long n, Carver& carver,
                             ForwardDerivativesScratch<T>& s) {
  carver.Take(s.dtau_dq, n * n);
  carver.Take(s.dtau_dv, n * n);
}

/// The rows of B that a product runs over: all.
template <class Size>
struct AllRows {
  Size n;
  template <class Body>
  TORQUED_INLINE void ForEach(const Body& body) const {
    For(Int<0>{}, n, body);
  }
};

/// Those of the joints that carry joint `begin`, and of [begin, end).
template <class N>
struct RelatedRows {
  const LoweredBody<N>* bodies;
  long begin, end;
  template <class Body>
  TORQUED_INLINE void ForEach(const Body& body) const {
    for (long k = bodies[begin].parent; k != kBase; k = bodies[k].parent) {
      body(k);
    }
    for (long k = begin; k < end; ++k) body(k);
  }
};

/// kRows x kColumns entries of C = −A B, n x n.
template <int kRows, int kColumns, class Rows, class T>
TORQUED_INLINE void MinusProductBlock(long n, const Rows& rows, const T* A,
                                      const T* B, T* C) {
  T sum[kRows][kColumns];
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < kColumns; ++j) sum[i][j] = T(0);
  }
  rows.ForEach([&](auto k) TORQUED_INLINE_BODY {
    for (int i = 0; i < kRows; ++i) {
      const T a = A[i * n + k];
      for (int j = 0; j < kColumns; ++j) sum[i][j] -= a * B[k * n + j];
    }
  });
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < kColumns; ++j) C[i * n + j] = sum[i][j];
  }
}

/// kColumns columns of C = −A B, in blocks that fit into registers.
template <int kColumns, class Rows, class T>
TORQUED_INLINE void MinusProductColumns(long n, const Rows& rows, const T* A,
                                        const T* B, T* C) {
  const long blocks = n - n % 3;
  for (long i = 0; i < blocks; i += 3) {
    MinusProductBlock<3, kColumns>(n, rows, A + i * n, B, C + i * n);
  }
  for (long i = blocks; i < n; ++i) {
    MinusProductBlock<1, kColumns>(n, rows, A + i * n, B, C + i * n);
  }
}

/// da/dq and da/dv from A = M⁻¹ and the derivatives of torques, where
/// `rows_of(j, end)` are the rows at which their columns [j, end) are not zero.
template <class RowsOf, class T>
TORQUED_INLINE void MinusProducts(long n, const RowsOf& rows_of, const T* A,
                                  const ForwardDerivativesScratch<T>& own,
                                  T* da_dq, T* da_dv) {
  const long blocks = n - n % 3;
  for (long j = 0; j < blocks; j += 3) {
    const auto rows = rows_of(j, j + 3);
    MinusProductColumns<3>(n, rows, A, own.dtau_dq + j, da_dq + j);
    MinusProductColumns<3>(n, rows, A, own.dtau_dv + j, da_dv + j);
  }
  for (long j = blocks; j < n; ++j) {
    const auto rows = rows_of(j, j + 1);
    MinusProductColumns<1>(n, rows, A, own.dtau_dq + j, da_dq + j);
    MinusProductColumns<1>(n, rows, A, own.dtau_dv + j, da_dv + j);
  }
}

template <int kSize, class T>
TORQUED_ONE_COPY void SolveSized(Int<kSize> n,
                                 const ForwardDerivativesScratch<T>& own,
                                 const T* inverse, T* da_dq, T* da_dv) {
  const auto all = [n](int, int)
                       TORQUED_INLINE_BODY { return AllRows<Int<kSize>>{n}; };
  MinusProducts(kSize, all, inverse, own, da_dq, da_dv);
}

template <class T, class N>
TORQUED_ONE_COPY void SolveTree(const LoweredTreeOf<N>& tree,
                                const ForwardDerivativesScratch<T>& own,
                                const T* inverse, T* da_dq, T* da_dv) {
  // Of what carries columns [begin, end) and is not one of them, the first has
  // the whole.
  const auto related = [&](long begin, long end) TORQUED_INLINE_BODY {
    long last = end;
    for (long j = begin; j < end; ++j) {
      if (tree.bodies[j].subtree_end > last) last = tree.bodies[j].subtree_end;
    }
    return RelatedRows<N>{tree.bodies, begin, last};
  };
  MinusProducts(tree.n, related, inverse, own, da_dq, da_dv);
}

/// From own.dtau_dq, own.dtau_dv (at the acceleration that forward dynamics
/// gives) and M⁻¹, each [n x n] and row-major:
/// da/dq = −M⁻¹ dtau/dq, da/dv = −M⁻¹ dtau/dv.
template <class T, class N>
void SolveForwardDerivatives(const LoweredTreeOf<N>& tree,
                             const ForwardDerivativesScratch<T>& own,
                             const T* inverse, T* da_dq, T* da_dv) {
  // Arms with and without a gripper are unrolled.
  switch (tree.n) {
    case 6:
      return SolveSized(Int<6>{}, own, inverse, da_dq, da_dv);
    case 7:
      return SolveSized(Int<7>{}, own, inverse, da_dq, da_dv);
    case 8:
      return SolveSized(Int<8>{}, own, inverse, da_dq, da_dv);
    case 9:
      return SolveSized(Int<9>{}, own, inverse, da_dq, da_dv);
    default:
      return SolveTree(tree, own, inverse, da_dq, da_dv);
  }
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

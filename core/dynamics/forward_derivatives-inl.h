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
  carver.Take(s.column, n);
  carver.Take(s.subtree_end, n);
}

/// M ← M⁻¹, whole, from the lower half of M, by sweeping one column after the
/// other (Goodnight 1979, "A tutorial on the SWEEP operator"): as many products
/// as by factors, of which fewer wait for each other. From the leaves to the
/// roots, so that the pivots are those of articulated bodies.
template <int kSize, class T>
TORQUED_ONE_COPY void InvertMassMatrix(Int<kSize> n,
                                       const ForwardDerivativesScratch<T>& own,
                                       T* M) {
  constexpr Int<0> kFirst;
  T A[PackedSize(kSize)], column[kSize];
  For(kFirst, n, [&](auto i) TORQUED_INLINE_BODY {
    For(kFirst, Next(i), [&](auto j) TORQUED_INLINE_BODY {
      A[PackedRow(i) + j] = M[i * n + j];
    });
    own.diagonal[i] = M[i * n + i];
  });
  ForDown(kFirst, n, [&](auto k) TORQUED_INLINE_BODY {
    T* const A_k = A + PackedRow(k);
    const T pivot = A_k[k];
    const T reciprocal = T(1) / pivot;
    own.pivots[k] = pivot;
    For(kFirst, n,
        [&](auto i) TORQUED_INLINE_BODY { column[i] = A[PackedEntry(i, k)]; });
    // A_ij −= A_ik A_kj / A_kk;  A_ik ← A_ik / A_kk;  A_kk ← −1 / A_kk
    For(kFirst, n, [&](auto i) TORQUED_INLINE_BODY {
      if constexpr (i != k) {
        const T scaled = column[i] * reciprocal;
        For(kFirst, Next(i), [&](auto j) TORQUED_INLINE_BODY {
          if constexpr (j != k) {
            T& entry = A[PackedRow(i) + j];
            entry = entry - scaled * column[j];
          }
        });
        A[PackedEntry(i, k)] = scaled;
      }
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
struct RelatedRows {
  const TreeBody* bodies;
  long begin, end;
  template <class Body>
  TORQUED_INLINE void ForEach(const Body& body) const {
    for (long k = bodies[begin].parent; k != kBase; k = bodies[k].parent) {
      body(k);
    }
    for (long k = begin; k < end; ++k) body(k);
  }
};

/// What body i carries, and itself, are [i, subtree_end[i]).
TORQUED_INLINE void FindSubtrees(const Tree& tree, int* subtree_end) {
  for (int i = 0; i < tree.n; ++i) subtree_end[i] = i + 1;
  for (int i = tree.n - 1; i >= 0; --i) {
    const int parent = tree.bodies[i].parent;
    if (parent != kBase && subtree_end[parent] < subtree_end[i]) {
      subtree_end[parent] = subtree_end[i];
    }
  }
}

/// The same for a tree of any size, with own.subtree_end. On the way to the
/// roots only entries of joints fill up of which one carries the other.
template <class T>
TORQUED_ONE_COPY void InvertMassMatrix(const Tree& tree,
                                       const ForwardDerivativesScratch<T>& own,
                                       T* M) {
  const long n = tree.n;
  T* const column = own.column;
  for (long i = 0; i < n; ++i) own.diagonal[i] = M[i * n + i];
  for (long k = n - 1; k >= 0; --k) {
    const RelatedRows related = {tree.bodies, k, own.subtree_end[k]};
    const auto entry = [&](long i) TORQUED_INLINE_BODY -> T& {
      return i < k ? M[k * n + i] : M[i * n + k];
    };
    const T pivot = M[k * n + k];
    const T reciprocal = T(1) / pivot;
    own.pivots[k] = pivot;
    related.ForEach([&](long i) TORQUED_INLINE_BODY { column[i] = entry(i); });
    related.ForEach([&](long i) TORQUED_INLINE_BODY {
      if (i == k) return;
      const T scaled = column[i] * reciprocal;
      T* const row = M + i * n;
      // Those of them that are not above i.
      for (long j = i < k ? i : tree.bodies[k].parent; j != kBase;
           j = tree.bodies[j].parent) {
        row[j] -= scaled * column[j];
      }
      for (long j = k + 1; j <= i; ++j) row[j] -= scaled * column[j];
      entry(i) = scaled;
    });
    M[k * n + k] = -reciprocal;
  }
  for (long i = 0; i < n; ++i) {
    for (long j = 0; j <= i; ++j) {
      const T inverse = -M[i * n + j];
      M[i * n + j] = inverse;
      M[j * n + i] = inverse;
    }
  }
}

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
                                 T* da_dq, T* da_dv, T* da_dtau) {
  InvertMassMatrix(n, own, da_dtau);
  const auto all = [n](int, int)
                       TORQUED_INLINE_BODY { return AllRows<Int<kSize>>{n}; };
  const T* const inverse = da_dtau;
  MinusProducts(kSize, all, inverse, own, da_dq, da_dv);
}

template <class T>
TORQUED_ONE_COPY void SolveTree(const Tree& tree,
                                const ForwardDerivativesScratch<T>& own,
                                T* da_dq, T* da_dv, T* da_dtau) {
  FindSubtrees(tree, own.subtree_end);
  InvertMassMatrix(tree, own, da_dtau);
  // Of what carries columns [begin, end) and is not one of them, the first has
  // the whole.
  const auto related = [&](long begin, long end) TORQUED_INLINE_BODY {
    long last = end;
    for (long j = begin; j < end; ++j) {
      if (own.subtree_end[j] > last) last = own.subtree_end[j];
    }
    return RelatedRows{tree.bodies, begin, last};
  };
  const T* const inverse = da_dtau;
  MinusProducts(tree.n, related, inverse, own, da_dq, da_dv);
}

template <class T>
void SolveForwardDerivatives(const Tree& tree,
                             const ForwardDerivativesScratch<T>& own, T* da_dq,
                             T* da_dv, T* da_dtau) {
  // Arms with and without a gripper are unrolled.
  switch (tree.n) {
    case 6:
      return SolveSized(Int<6>{}, own, da_dq, da_dv, da_dtau);
    case 7:
      return SolveSized(Int<7>{}, own, da_dq, da_dv, da_dtau);
    case 8:
      return SolveSized(Int<8>{}, own, da_dq, da_dv, da_dtau);
    case 9:
      return SolveSized(Int<9>{}, own, da_dq, da_dv, da_dtau);
    default:
      return SolveTree(tree, own, da_dq, da_dv, da_dtau);
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
  SolveForwardDerivatives(tree, own, da_dq, da_dv, da_dtau);
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

// The inverse of the mass matrix.
#pragma once

#include "core/dynamics/packed_ldlt-inl.h"
#include "core/dynamics/scratch_layout-inl.h"
#include "core/model/tree.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// Memory of InvertMassMatrix, for n bodies.
template <class T>
struct MassInverseScratch {
  T* diagonal;       // n: of M⁻¹
  T* pivots;         // n: those of M = Lᵀ D L (Featherstone 2008, section 6.5)
  T* column;         // n
  int* subtree_end;  // n: what body i carries, and itself, are [i, end)
};

template <class T>
void CarveMassInverse(unsigned long n, Carver& carver,
                      MassInverseScratch<T>& s) {
  carver.Take(s.diagonal, n);
  carver.Take(s.pivots, n);
  carver.Take(s.column, n);
  carver.Take(s.subtree_end, n);
}

/// By sweeping one column after the
/// other (Goodnight 1979, "A tutorial on the SWEEP operator"): as many products
/// as by factors, of which fewer wait for each other. From the leaves to the
/// roots, so that the pivots are those of articulated bodies.
template <int kSize, class T>
TORQUED_ONE_COPY void InvertSized(Int<kSize> n,
                                  const MassInverseScratch<T>& own, T* M) {
  constexpr Int<0> kFirst;
  T A[PackedSize(kSize)], column[kSize];
  For(kFirst, n, [&](auto i) TORQUED_INLINE_BODY {
    For(kFirst, Next(i), [&](auto j) TORQUED_INLINE_BODY {
      A[PackedRow(i) + j] = M[i * n + j];
    });
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
    own.diagonal[i] = M[i * n + i];
  });
}

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
TORQUED_ONE_COPY void InvertTree(const Tree& tree,
                                 const MassInverseScratch<T>& own, T* M) {
  const long n = tree.n;
  T* const column = own.column;
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
    own.diagonal[i] = M[i * n + i];
  }
}

/// M[n x n] ← M⁻¹, whole, row-major and exactly symmetric, from the lower half
/// of M. Bodies come in depth-first order, as those of a Model do. Tests no
/// pivot.
template <class T>
void InvertMassMatrix(const Tree& tree, const MassInverseScratch<T>& own,
                      T* M) {
  FindSubtrees(tree, own.subtree_end);
  // Arms with and without a gripper are unrolled.
  switch (tree.n) {
    case 6:
      return InvertSized(Int<6>{}, own, M);
    case 7:
      return InvertSized(Int<7>{}, own, M);
    case 8:
      return InvertSized(Int<8>{}, own, M);
    case 9:
      return InvertSized(Int<9>{}, own, M);
    default:
      return InvertTree(tree, own, M);
  }
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

// The one factorization of mass matrices: M = Lᵀ D L, L unit lower triangular,
// from the leaves to the roots (Featherstone 2008, section 6.5). Entries of
// joints of which neither carries the other are zero in M and in L, and are not
// touched. The pivots D are those of articulated bodies (section 7.3).
//
// Matrices are packed, see core/math/packed.h.
#pragma once

#include "core/math/packed.h"
#include "core/math/static_for.h"
#include "core/tree/compiled_tree.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// Every joint is carried by all before it; so is any symmetric matrix
/// factorized. `Size` is int, or Int<k> for code that is unrolled.
template <class Size>
struct Chain {
  static constexpr Int<0> first{};
  static constexpr int kColumns = 1;
  Size n;

  template <class I, class Body>
  TORQUED_INLINE void ForAncestors(I i, const Body& body) const {
    ForDown(Int<0>{}, i, body);
  }
  template <class I, class Body>
  TORQUED_INLINE void ForDescendants(I i, const Body& body) const {
    For(Next(i), n, body);
  }
  template <class Body>
  TORQUED_INLINE void ForRoots(const Body& body) const {
    body(*this);
  }
};

/// Joints [first, n) of a tree, in depth-first order, and those that carry the
/// first.
template <class N>
struct Branches {
  static constexpr int kColumns = 6;  // of a matrix, to be solved for at a time
  const CompiledBody<N>* bodies;
  int n;
  int first = 0;

  template <class Body>
  TORQUED_INLINE void ForAncestors(int i, const Body& body) const {
    for (int j = bodies[i].parent; j != kBase; j = bodies[j].parent) body(j);
  }
  template <class Body>
  TORQUED_INLINE void ForDescendants(int i, const Body& body) const {
    const int end = bodies[i].subtree_end < n ? bodies[i].subtree_end : n;
    for (int k = i < first ? first : i + 1; k < end; ++k) body(k);
    for (int k = bodies[first].parent; k > i; k = bodies[k].parent) body(k);
  }
  /// The trees that hang on the base: M has no entries between them.
  template <class Body>
  TORQUED_INLINE void ForRoots(const Body& body) const {
    for (int i = first; i < n; i = bodies[i].subtree_end) {
      body(Branches{bodies, bodies[i].subtree_end, i});
    }
  }
};

/// In place: L strictly below the diagonal, D on it, and the reciprocals of D
/// in `reciprocal`. Does not test D.
template <class Joints, class T>
TORQUED_INLINE void FactorLtdl(const Joints& joints, T* M, T* reciprocal) {
  ForDown(Int<0>{}, joints.n, [&](auto i) TORQUED_INLINE_BODY {
    T* const row_i = M + PackedRow(i);
    // Row k holds D_k L_kj until column j is divided.
    T d = row_i[i];
    joints.ForDescendants(i, [&](auto k) TORQUED_INLINE_BODY {
      T* const row_k = M + PackedRow(k);
      const T entry = row_k[i], l = entry * reciprocal[k];
      d = d - l * entry;
      row_k[i] = l;
      joints.ForAncestors(i, [&](auto j) TORQUED_INLINE_BODY {
        row_i[j] = row_i[j] - l * row_k[j];
      });
    });
    row_i[i] = d;
    reciprocal[i] = T(1) / d;
  });
}

/// X ← L⁻ᵀ X, for kColumns columns of a matrix whose rows are `stride` apart;
/// also of the joints that carry the first.
template <int kColumns = 1, class Joints, class T>
TORQUED_INLINE void SolveInward(const Joints& joints, const T* L, T* X,
                                int stride = 1) {
  const auto row = [&](auto j) TORQUED_INLINE_BODY {
    T sum[kColumns];
    for (int c = 0; c < kColumns; ++c) sum[c] = X[j * stride + c];
    joints.ForDescendants(j, [&](auto k) TORQUED_INLINE_BODY {
      const T& l = L[PackedRow(k) + j];
      for (int c = 0; c < kColumns; ++c) {
        sum[c] = sum[c] - l * X[k * stride + c];
      }
    });
    for (int c = 0; c < kColumns; ++c) X[j * stride + c] = sum[c];
  };
  ForDown(joints.first, joints.n, row);
  if (joints.n > 0) joints.ForAncestors(joints.first, row);
}

/// X ← L⁻¹ X, or with `scale` L⁻¹ S X for the diagonal matrix S of these.
template <int kColumns = 1, class Joints, class T>
TORQUED_INLINE void SolveOutward(const Joints& joints, const T* L, T* X,
                                 int stride = 1, const T* scale = nullptr) {
  For(joints.first, joints.n, [&](auto i) TORQUED_INLINE_BODY {
    T sum[kColumns];
    for (int c = 0; c < kColumns; ++c) {
      sum[c] = X[i * stride + c];
      if (scale != nullptr) sum[c] = sum[c] * scale[i];
    }
    joints.ForAncestors(i, [&](auto j) TORQUED_INLINE_BODY {
      const T& l = L[PackedRow(i) + j];
      for (int c = 0; c < kColumns; ++c) {
        sum[c] = sum[c] - l * X[j * stride + c];
      }
    });
    for (int c = 0; c < kColumns; ++c) X[i * stride + c] = sum[c];
  });
}

/// X ← M⁻¹ X.
template <int kColumns = 1, class Joints, class T>
TORQUED_INLINE void SolveLtdl(const Joints& joints, const T* LD,
                              const T* reciprocal, T* X, int stride = 1) {
  SolveInward<kColumns>(joints, LD, X, stride);
  SolveOutward<kColumns>(joints, LD, X, stride, reciprocal);
}

/// The entries of a symmetric matrix: packed, or all n x n.
template <class T>
struct PackedEntries {
  T* X;
  TORQUED_INLINE const T& Get(int i, int j) const {
    return X[PackedEntry(i, j)];
  }
  TORQUED_INLINE void Set(int i, int j, const T& x) const {
    X[PackedEntry(i, j)] = x;
  }
};
template <class T>
struct AllEntries {
  T* X;
  int n;
  TORQUED_INLINE const T& Get(int i, int j) const { return X[i * n + j]; }
  TORQUED_INLINE void Set(int i, int j, const T& x) const {
    X[i * n + j] = x;
    X[j * n + i] = x;
  }
};

/// X ← M⁻¹, exactly symmetric: L X = D⁻¹ L⁻ᵀ, whose right side is D⁻¹ on the
/// diagonal and zero below. Joints of one root.
template <class Joints, class T, class Entries>
TORQUED_INLINE void InvertLtdl(const Joints& joints, const T* LD,
                               const T* reciprocal, const Entries& X) {
  For(joints.first, joints.n, [&](auto i) TORQUED_INLINE_BODY {
    const T* const L_i = LD + PackedRow(i);
    const auto columns = [&](auto count, auto k, T right) TORQUED_INLINE_BODY {
      T sum[count];
      for (T& entry : sum) entry = right;
      joints.ForAncestors(i, [&](auto j) TORQUED_INLINE_BODY {
        for (int c = 0; c < count; ++c) {
          sum[c] = sum[c] - L_i[j] * X.Get(j, k + c);
        }
      });
      for (int c = 0; c < count; ++c) X.Set(i, k + c, sum[c]);
    };
    constexpr Int<Joints::kColumns> kMost{};
    if constexpr (kMost > 1) {
      int k = joints.first;
      for (; k + kMost <= i; k += kMost) columns(kMost, k, T(0));
      for (; k < i; ++k) columns(Int<1>{}, k, T(0));
    } else {
      For(joints.first, i,
          [&](auto k) TORQUED_INLINE_BODY { columns(kMost, k, T(0)); });
    }
    columns(Int<1>{}, i, reciprocal[i]);
  });
}

/// With the scales s of core/dynamics/pivot_check.h and H = S^-1/2 M S^-1/2,
///   trace H⁻¹ = Σ_j σ_j / d_j,  σ_j = Σ_i s_i (L⁻¹)_ij².
/// An upper bound, from σ_j ≤ y_j² with y_j = √s_j + Σ_i |L_ij| y_i over the
/// joints i that j carries. `y` is scratch, n numbers.
template <class Joints, class T>
TORQUED_INLINE T BoundOfScaledTrace(const Joints& joints, const T* LD,
                                    const T* reciprocal, const T* root_scales,
                                    T* y) {
  T trace(0);
  ForDown(Int<0>{}, joints.n, [&](auto j) TORQUED_INLINE_BODY {
    T sum = root_scales[j];
    joints.ForDescendants(j, [&](auto i) TORQUED_INLINE_BODY {
      sum = sum + Abs(LD[PackedRow(i) + j]) * y[i];
    });
    y[j] = sum;
    trace = trace + sum * sum * reciprocal[j];
  });
  return trace;
}

/// trace H⁻¹ itself, at some n d² products for joints that d others carry. `z`
/// is scratch, n numbers.
template <class Joints, class T>
T ScaledTrace(const Joints& joints, const T* LD, const T* reciprocal,
              const T* root_scales, T* z) {
  T trace(0);
  for (int i = 0; i < joints.n; ++i) {
    // z = L⁻ᵀ e_i; (M⁻¹)_ii = zᵀ D⁻¹ z
    z[i] = T(1);
    T diagonal = reciprocal[i];
    joints.ForAncestors(i, [&](int j) {
      T sum = LD[PackedRow(i) + j];
      joints.ForAncestors(i, [&](int k) {
        if (k > j) sum = sum + LD[PackedRow(k) + j] * z[k];
      });
      z[j] = -sum;
      diagonal = diagonal + sum * sum * reciprocal[j];
    });
    trace = trace + root_scales[i] * root_scales[i] * diagonal;
  }
  return trace;
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

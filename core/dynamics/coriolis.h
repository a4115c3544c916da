// The Coriolis matrix and the Christoffel symbols of the mass matrix.
#pragma once

#include "core/dynamics/scratch.h"
#include "core/dynamics/scratch_layout-inl.h"
#include "core/model/tree.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// The matrix [[S, 0], [−[f], 0]], which maps twists to wrenches: what is left
/// of Q_i − G_i ad_{V_i} with Q_i = ½ (G ad_V − ad_Vᵀ G + B(G V)).
template <class T>
struct CoriolisInertia {
  Mat3<T> S;
  Vec3<T> f;
};

/// Memory of CoriolisMatrix besides Scratch.
template <class T>
struct CoriolisScratch {
  CoriolisInertia<T>* B;  // composite of the subtree of i, in {i}
};

template <class T>
void CarveCoriolisScratch(unsigned long n, Carver& carver,
                          CoriolisScratch<T>& s) {
  carver.Take(s.B, n);
}

/// C[n x n], row-major: the Coriolis matrix of the Christoffel symbols of the
/// first kind, C_ij = Σ_k c_ijk q̇_k, so that c = C q̇ and Ṁ − 2C is skew. For a
/// base at rest; armature does not enter; entries between branches are zero.
/// Needs X; uses V, A and Gc. O(n d) for a tree of depth d (Echeandia &
/// Wensing 2021).
template <class T>
void CoriolisMatrix(const Tree& tree, const T* v, Scratch<T>& scratch,
                    CoriolisScratch<T>& own, T* C);

/// Ṁ[n x n] = C + Cᵀ, from the C of CoriolisMatrix; exactly symmetric.
template <class T>
void MassMatrixRate(int n, const T* C, T* M_rate);

/// c[n x n x n], c_ijk = ½ (∂m_ij/∂q_k + ∂m_ik/∂q_j − ∂m_jk/∂q_i) at
/// (i n + j) n + k, symmetric in j and k. Zero unless the three joints are on
/// one way to the base; armature does not enter. Needs X and X_world; uses V,
/// A, F and Gc. O(n d²) beside the zeros.
template <class T>
void ChristoffelSymbols(const Tree& tree, Scratch<T>& scratch, T* c);

}  // namespace TORQUED_TARGET
}  // namespace torqued

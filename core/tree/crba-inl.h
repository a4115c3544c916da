// Mass matrix by the composite-rigid-body algorithm (Featherstone 2008,
// section 6.2).
#pragma once

#include "core/tree/joint-inl.h"
#include "core/tree/tree.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// Gᶜ_i, the inertia of the subtree of i as one rigid body, in {i}, from the
/// placements X.
template <class T>
void ComputeCompositeInertias(const Tree& tree, const Transform<T>* X,
                              SpatialInertia<T>* Gc) {
  for (int i = 0; i < tree.n; ++i) {
    Gc[i] = BodyInertia<T>(tree.bodies[i]);
  }
  for (int i = tree.n - 1; i >= 0; --i) {
    // Gᶜ_λ += X_iᵀ Gᶜ_i X_i; all children of i are done.
    const int parent = tree.bodies[i].parent;
    if (parent != kBase) {
      Gc[parent] += ToParent(X[i], Gc[i]);
    }
  }
}

/// M[n x n], full, row-major, armature on the diagonal.
template <class T>
void MassMatrix(const Tree& tree, const Transform<T>* X,
                const SpatialInertia<T>* Gc, T* M) {
  const int n = tree.n;
  for (int k = 0; k < n * n; ++k) M[k] = T(0);

  for (int i = n - 1; i >= 0; --i) {
    const TreeBody& body = tree.bodies[i];
    // f = Gᶜ_i A_i;  M_ii = A_iᵀ f;  climbing: f ← X_jᵀ f,  M_{λ(j),i} =
    // A_{λ(j)}ᵀ f. Joints on different branches stay zero.
    Wrench<T> f = Gc[i] * JointTwist(body, T(1));
    M[i * n + i] = JointProjection(body, f) + T(body.armature);
    for (int j = i; tree.bodies[j].parent != kBase;) {
      f = ToParent(X[j], f);
      j = tree.bodies[j].parent;
      const T m = JointProjection(tree.bodies[j], f);
      M[i * n + j] = m;
      M[j * n + i] = m;
    }
  }
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

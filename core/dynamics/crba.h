// Mass matrix by the composite-rigid-body algorithm (Featherstone 2008,
// section 6.2).
#pragma once

#include "core/dynamics/scratch.h"
#include "core/model/tree.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// scratch.Gc, the inertia of the subtree of i as one rigid body, in {i}. Needs
/// X.
template <class T>
void ComputeCompositeInertias(const Tree& tree, Scratch<T>& scratch);

/// M[n x n], full, row-major, armature on the diagonal. Needs X; uses Gc.
template <class T>
void MassMatrix(const Tree& tree, Scratch<T>& scratch, T* M);

}  // namespace TORQUED_TARGET
}  // namespace torqued

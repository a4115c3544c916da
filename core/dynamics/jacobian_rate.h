// Time derivative of frame Jacobians.
#pragma once

#include "core/dynamics/scratch.h"
#include "core/model/tree.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// J̇[6 x n], row-major, of FrameJacobian along q̇ = v; J̇ v is FrameDrift. For a
/// base at rest. Needs X and X_world; uses V. Null v means zeros.
template <class T>
void FrameJacobianRate(const Tree& tree, const BodyFrame& frame,
                       ReferenceFrame reference, const T* v,
                       Scratch<T>& scratch, T* J_rate);

}  // namespace TORQUED_TARGET
}  // namespace torqued

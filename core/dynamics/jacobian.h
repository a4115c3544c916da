// Frame Jacobians, and wrenches given at a frame.
#pragma once

#include "core/dynamics/scratch.h"
#include "core/model/tree.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// J[6 x n], row-major, rows (angular; linear): the frame's twist is J q̇.
/// Columns of joints that do not carry the frame are zero. Needs X and X_world.
///   local           body Jacobian (Lynch & Park 2017, section 5.1.4)
///   world           space Jacobian
///   world-aligned   blkdiag(R, R) J_body, the "geometric" Jacobian
template <class T>
void FrameJacobian(const Tree& tree, const BodyFrame& frame,
                   ReferenceFrame reference, const Scratch<T>& scratch, T* J);

/// A wrench (moment; force), 6 numbers given at `frame` in a reference frame,
/// as the same wrench in {frame.body}.
/// frame.body must not be kBase. Needs X_world.
template <class T>
Wrench<T> WrenchInBody(const Tree& tree, const BodyFrame& frame,
                       ReferenceFrame reference, const T* wrench,
                       const Scratch<T>& scratch);

/// scratch.W ← 0.
template <class T>
void ClearWrenches(const Tree& tree, Scratch<T>& scratch);

/// Adds a wrench that acts on the robot, given as for WrenchInBody, to
/// scratch.W, which the terms' external_wrenches switches on. One on the base
/// moves nothing and is left out. Needs X_world.
template <class T>
void AddWrench(const Tree& tree, const BodyFrame& frame,
               ReferenceFrame reference, const T* wrench, Scratch<T>& scratch);

}  // namespace TORQUED_TARGET
}  // namespace torqued

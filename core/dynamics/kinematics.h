// Placements, twists and accelerations of the bodies.
#pragma once

#include "core/dynamics/scratch.h"
#include "core/model/tree.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// scratch.X from q[n] (rad or m): T_{λ(i),i}(q) = M_i exp([A_i] q_i)
/// (Lynch & Park 2017, eq. 8.50).
template <class T>
void ComputePlacements(const Tree& tree, const T* q, Scratch<T>& scratch);

/// scratch.X_world from scratch.X: T_{0,i} = T_{0,λ(i)} T_{λ(i),i}.
template <class T>
void ComputeWorldPlacements(const Tree& tree, Scratch<T>& scratch);

/// T_{0,frame}; needs X_world.
template <class T>
Transform<T> FramePlacement(const Tree& tree, const BodyFrame& frame,
                            const Scratch<T>& scratch);

/// Drift J̇ q̇ of a frame, in the given reference frame; `drift` has 6 numbers,
/// (angular; linear). Needs X; needs X_world unless kLocal. With V_i, V̇_i from
/// the outward pass of recursive Newton-Euler for q̈ = 0 without gravity:
///   local           d = Ad_{tip⁻¹} V̇
///   world           Ad_{T_0,tip} d
///   world-aligned   blkdiag(R, R) (d + (0; ω × v))
template <class T>
void FrameDrift(const Tree& tree, const BodyFrame& frame,
                ReferenceFrame reference, const T* v, Scratch<T>& scratch,
                T* drift);

}  // namespace TORQUED_TARGET
}  // namespace torqued

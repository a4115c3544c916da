// Placements of the bodies and of frames on them.
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

}  // namespace TORQUED_TARGET
}  // namespace torqued

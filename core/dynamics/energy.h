// Kinetic and potential energy.
#pragma once

#include "core/dynamics/base_motion.h"
#include "core/dynamics/scratch.h"
#include "core/model/tree.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// K = ½ Σ V_iᵀ G_i V_i + ½ Σ armature_i q̇_i², J; on a base at rest
/// ½ q̇ᵀ M q̇. Bodies fixed to the base have no part in it. Needs X; uses V. Null
/// v means zeros.
template <class T>
T KineticEnergy(const Tree& tree, const T* v, Scratch<T>& scratch,
                const BaseMotion<T>* base = nullptr);

/// P = −Σ m_i gᵀ p_com,i, J, zero at the base origin; gravity[3] in base axes,
/// m/s², and what `base` adds to it. Needs X_world.
template <class T>
T PotentialEnergy(const Tree& tree, const double* gravity,
                  const Scratch<T>& scratch,
                  const BaseMotion<T>* base = nullptr);

}  // namespace TORQUED_TARGET
}  // namespace torqued

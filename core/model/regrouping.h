// Base inertial parameters: matter that a joint does not move relative to its
// parent is counted to the parent (Gautier and Khalil 1990).
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "core/model/reframing.h"

namespace torqued {

/// The pseudo-inertias Σ = [[S, h], [hᵀ, m]] (S = ∫ρ x xᵀ) that the bodies
/// keep, each in {i'}:
///   revolute    S_xx, S_xy, S_xz, S_yy, S_yz, h_x, h_y; S_zz = h_z = m = 0
///   prismatic   m and h; S = 0
/// What the roots hand over is the base's, and dropped. On a base at rest the
/// kinetic energy is the same function of q and q̇ as before, and the potential
/// energy the same function of q but for a constant. The kept numbers need not
/// be those of any rigid body: Σ may be indefinite.
std::vector<Eigen::Matrix4d> Regroup(const Tree& tree,
                                     std::span<const ReframedJoint> joints);

}  // namespace torqued

// Link frames that make the joints' constant transforms simple, after Denavit
// and Hartenberg (1955).
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <vector>

#include "core/model/lowered_tree.h"

namespace torqued {

/// A joint between the new frames of its bodies:
///   revolute    T_{λ',i'}(q) = Trans(p) R Rz(q + q0)
///   prismatic   T_{λ',i'}(q) = Trans(p + R e_z q) R Rz(q0)
struct ReframedJoint {
  Turn turn;
  Eigen::Matrix3d R;
  Eigen::Vector2d alpha;  // (cos α, sin α) of R = Rx(α); zero for kFull
  Eigen::Vector3d p;      // m, in {λ'}
  Eigen::Vector2d turn0;  // (cos q0, sin q0)
  Eigen::Isometry3d C;    // T_{i,i'}
};

/// T_{λ',i'}(0).
Eigen::Isometry3d HomePlacement(const ReframedJoint& joint);

/// The tree's joints, in its order. Frame {i'} has the joint's axis as its z
/// and the common normal with the axis of the largest child as its x; its
/// origin is the foot of the common normal with the parent's axis. The base
/// frame stays as it is.
///
/// T_{λ',i'} equals C_λ⁻¹ T_{λ,i} C_i but for turns of 1e-14 rad and lengths of
/// 1e-14 of the longest offset, which count as rounding of zero.
std::vector<ReframedJoint> Reframe(const Tree& tree);

}  // namespace torqued

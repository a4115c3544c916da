// Rigid placements, as descriptions state them.
#pragma once

#include <array>

namespace torqued {

/// T_ab: x_a = R x_b + p.
struct Pose {
  std::array<double, 9> R{1, 0, 0, 0, 1, 0, 0, 0, 1};  // row-major
  std::array<double, 3> p{0, 0, 0};                    // m

  /// Fixed-axis roll, pitch, yaw as in URDF: R = Rz(yaw) Ry(pitch) Rx(roll),
  /// angles in rad. Zero angles give exact zeros and ones.
  static Pose FromXyzRpy(const std::array<double, 3>& xyz,
                         const std::array<double, 3>& rpy);
};

/// T_ac = T_ab T_bc.
Pose operator*(const Pose& ab, const Pose& bc);

}  // namespace torqued

// Links and joints as a source states them, before validation.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "core/model/model.h"

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

/// Mass properties as URDF states them: about the centre of mass, in the axes
/// of `origin`, which is the pose of the inertial frame in the link frame.
struct LinkInertial {
  Pose origin;
  double mass = 0;                  // kg
  std::array<double, 6> inertia{};  // xx xy xz yy yz zz, kg m²
  int line = 0;
};

struct LinkDescription {
  std::string name;
  std::optional<LinkInertial> inertial;  // absent: massless
  int line = 0;
  /// An error in this link has been reported already: checks that would build
  /// on its values are left out, so that one mistake is not reported twice.
  bool incomplete = false;
};

struct JointDescription {
  /// Those of JointType in their order, and kFixed.
  enum class Type : std::uint8_t { kRevolute, kContinuous, kPrismatic, kFixed };
  struct MimicOf {
    std::string joint;
    double multiplier = 1;
    double offset = 0;  // rad or m
    int line = 0;
  };

  std::string name;
  Type type = Type::kFixed;
  std::string parent;  // link names
  std::string child;
  Pose origin;  // of the joint frame (= child link frame) in the parent link
  std::array<double, 3> axis{1, 0, 0};  // in the joint frame; normalised
  JointLimits limits;
  double damping = 0;   // viscous, N m s/rad or N s/m
  double friction = 0;  // Coulomb, N m or N
  double armature = 0;  // kg m² or kg
  std::optional<MimicOf> mimic;
  int line = 0;
  int axis_line = 0, limit_line = 0, dynamics_line = 0;  // 0: that of the joint
  /// As in LinkDescription; where it is set, an empty name, parent or child
  /// is one that the source did not give.
  bool incomplete = false;
};

}  // namespace torqued

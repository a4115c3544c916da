// A robot, validated and immutable.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace torqued {

class CompiledModel;
struct BuildOptions;
struct LinkInertial;
struct LoadResult;
struct RobotDescription;
struct Tree;

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

enum class JointType : std::uint8_t { kRevolute, kContinuous, kPrismatic };

/// Absent means unlimited.
struct JointLimits {
  std::optional<double> lower;     // rad or m
  std::optional<double> upper;     // rad or m
  std::optional<double> velocity;  // rad/s or m/s
  std::optional<double> effort;    // N m or N
};

/// q_this = multiplier q_joint + offset, as written in the source.
struct Mimic {
  int joint;  // index of the joint that leads
  double multiplier;
  double offset;  // rad or m
};

/// Properties of a joint and of its description.
struct JointProperties {
  std::array<double, 3> axis{1, 0, 0};  // in the joint frame; of a Joint unit
  JointLimits limits;
  double damping = 0;   // viscous, N m s/rad or N s/m
  double friction = 0;  // Coulomb, N m or N
  double armature = 0;  // kg m² or kg
};

/// A movable joint. Joint i carries body i.
struct Joint : JointProperties {
  std::string name;
  JointType type = JointType::kRevolute;
  std::string parent_link;
  std::string child_link;
  /// The joint before this one on the way from the base; -1: none.
  int parent = -1;
  int q_index = 0, nq = 1;
  int v_index = 0, nv = 1;
  std::optional<Mimic> mimic;
};

/// Absent: as the model has it. Finite and at least 0.
struct JointDrive {
  std::optional<double> viscous_friction = {};  // N m s/rad or N s/m
  std::optional<double> coulomb_friction = {};  // N m or N
  std::optional<double> armature = {};          // kg m² or kg
};

/// A named frame; every link is one.
struct Frame {
  std::string name;
  int body = -1;  // that it is fixed on; -1: the base
  Pose pose;      // T_{body,frame}, the body's frame being that of its joint
  bool is_leaf = false;  // no joint, fixed ones among them, leads on from it
};

/// Thread-safe to read; shared by shared_ptr<const Model>. Made by BuildModel.
///
/// Joints are in canonical order: depth-first from the root link, siblings by
/// joint name, byte-wise. Fixed joints are merged: their links' inertia is
/// lumped into the carrying body and their frames are kept by name.
class Model {
 public:
  const std::string& name() const { return name_; }
  /// Size of q, and of v, a and tau.
  int nq() const { return static_cast<int>(joints_.size()); }
  int nv() const { return nq(); }

  std::span<const Joint> joints() const { return joints_; }
  /// Root link first, then depth-first.
  std::span<const Frame> frames() const { return frames_; }

  /// Index, or nothing when there is no such name.
  std::optional<int> FindJoint(std::string_view name) const {
    return Find(joint_index_, name);
  }
  std::optional<int> FindFrame(std::string_view name) const {
    return Find(frame_index_, name);
  }

  /// Frame used where a call names none: as registered, else the only leaf
  /// link, else nothing.
  std::optional<int> tip_frame() const { return tip_frame_; }

  /// Gravitational acceleration in base axes, m/s².
  const std::array<double, 3>& gravity() const { return gravity_; }
  /// Mass of all bodies that joints move, kg.
  double moving_mass() const { return moving_mass_; }

  /// The model with a rigid body fixed to one of its frames: what it would be
  /// with a link there, on a fixed joint, of this inertia. Names, frames and
  /// order of the joints stay. `payload` must be finite, and what
  /// Validation::kStrict takes. A payload on the base changes nothing.
  std::shared_ptr<const Model> WithPayload(int frame,
                                           const LinkInertial& payload) const;
  /// `drives`: one for each joint in canonical order.
  std::shared_ptr<const Model> WithDrives(
      std::span<const JointDrive> drives) const;

  /// The arrays that the algorithms read; valid as long as the model.
  Tree tree() const;
  /// The arrays that the fast kernels read; valid as long as the model.
  const CompiledModel& compiled() const;

 private:
  friend LoadResult BuildModel(RobotDescription, const BuildOptions&);
  struct Arrays;
  Model() = default;

  using NameIndex = std::map<std::string, int, std::less<>>;
  static std::optional<int> Find(const NameIndex& index,
                                 std::string_view name) {
    const auto it = index.find(name);
    return it == index.end() ? std::nullopt : std::optional(it->second);
  }

  std::string name_;
  std::vector<Joint> joints_;
  std::vector<Frame> frames_;
  std::shared_ptr<const Arrays> arrays_;
  NameIndex joint_index_;
  NameIndex frame_index_;
  std::optional<int> tip_frame_;
  std::array<double, 3> gravity_{0, 0, -9.81};
  double moving_mass_ = 0;
};

}  // namespace torqued

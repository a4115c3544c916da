#include "core/model/drives.h"

#include <cstddef>

namespace torqued {

std::shared_ptr<const Model> WithDrives(
    const std::shared_ptr<const Model>& model,
    std::span<const JointDrive> drives) {
  const std::shared_ptr<Model> driven(new Model(*model));
  for (std::size_t j = 0; j < drives.size(); ++j) {
    const JointDrive& drive = drives[j];
    Joint& joint = driven->joints_[j];
    joint.damping = drive.viscous_friction.value_or(joint.damping);
    joint.friction = drive.coulomb_friction.value_or(joint.friction);
    joint.armature = drive.armature.value_or(joint.armature);
    TreeBody& body = driven->bodies_[j];
    body.viscous_friction = joint.damping;
    body.coulomb_friction = joint.friction;
    body.armature = joint.armature;
  }
  driven->lowered_ = LoweredModel(driven->tree());
  return driven;
}

}  // namespace torqued

// Models that differ from their description: with a payload, or other drives.
#include <algorithm>
#include <cstddef>

#include "core/model/assembly.h"
#include "core/model/model.h"

namespace torqued {

std::shared_ptr<const Model> Model::WithPayload(
    int frame, const LinkInertial& payload) const {
  const BodyFrame& at = frames_[static_cast<std::size_t>(frame)].placement;
  const std::shared_ptr<Model> loaded(new Model(*this));
  if (at.body == kBase) return loaded;
  Pose pose;
  std::copy(std::begin(at.R), std::end(at.R), pose.R.begin());
  std::copy(std::begin(at.p), std::end(at.p), pose.p.begin());
  Lump(pose, payload, loaded->bodies_[static_cast<std::size_t>(at.body)]);
  loaded->moving_mass_ += payload.mass;
  loaded->lowered_ = LoweredModel(loaded->tree());
  return loaded;
}

std::shared_ptr<const Model> Model::WithDrives(
    std::span<const JointDrive> drives) const {
  const std::shared_ptr<Model> driven(new Model(*this));
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

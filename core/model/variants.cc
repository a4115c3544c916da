#include "core/model/variants.h"

#include <algorithm>
#include <cstddef>

#include "core/model/assembly.h"

namespace torqued {

std::shared_ptr<const Model> WithPayload(
    const std::shared_ptr<const Model>& model, int frame,
    const LinkInertial& payload) {
  const BodyFrame& at =
      model->frames()[static_cast<std::size_t>(frame)].placement;
  if (at.body == kBase) return model;
  Pose pose;
  std::copy(std::begin(at.R), std::end(at.R), pose.R.begin());
  std::copy(std::begin(at.p), std::end(at.p), pose.p.begin());
  const std::shared_ptr<Model> loaded(new Model(*model));
  Lump(pose, payload, loaded->bodies_[static_cast<std::size_t>(at.body)]);
  loaded->moving_mass_ += payload.mass;
  loaded->lowered_ = LoweredModel(loaded->tree());
  return loaded;
}

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

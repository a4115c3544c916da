// Models that differ from their description: with a payload, or other drives.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "core/model/description.h"
#include "core/model/model.h"

namespace torqued {

/// The model with a rigid body fixed to one of its frames: what it would be
/// with a link there, on a fixed joint, of this inertia. Names, frames and
/// order of the joints stay. `payload` must be valid (see CheckLinks). What is
/// fixed to the base changes nothing.
std::shared_ptr<const Model> WithPayload(
    const std::shared_ptr<const Model>& model, int frame,
    const LinkInertial& payload);

/// Absent: as the model has it. Finite and at least 0.
struct JointDrive {
  std::optional<double> viscous_friction = {};  // N m s/rad or N s/m
  std::optional<double> coulomb_friction = {};  // N m or N
  std::optional<double> armature = {};          // kg m² or kg
};

/// `drives`: one for each joint in canonical order.
std::shared_ptr<const Model> WithDrives(
    const std::shared_ptr<const Model>& model,
    std::span<const JointDrive> drives);

}  // namespace torqued

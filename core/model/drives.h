// A model whose drives are others than its description says.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "core/model/model.h"

namespace torqued {

/// What is not absent takes the place of the model's own; finite and at least
/// 0.
struct JointDrive {
  std::optional<double> viscous_friction;  // N m s/rad or N s/m
  std::optional<double> coulomb_friction;  // N m or N
  std::optional<double> armature;          // kg m² or kg
};

/// `drives`: one for each joint in canonical order.
std::shared_ptr<const Model> WithDrives(
    const std::shared_ptr<const Model>& model,
    std::span<const JointDrive> drives);

}  // namespace torqued

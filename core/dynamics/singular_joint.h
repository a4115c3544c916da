// Which joint makes the mass matrix singular.
#pragma once

#include <optional>
#include <span>

#include "core/model/tree.h"

namespace torqued {

/// The first joint, from the last body on, whose articulated-body pivot at q
/// (one number for each joint) is lost by the rule of PivotRule; nothing where
/// forward dynamics has an answer. A SingularJointRule.
std::optional<int> SingularJoint(const Tree& tree, std::span<const double> q);

}  // namespace torqued

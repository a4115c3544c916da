// Inertia that is fixed to a body.
#pragma once

#include "core/model/description.h"
#include "core/model/pose.h"
#include "core/model/tree.h"

namespace torqued {

/// Adds the inertia of a link to that of the body which carries it;
/// `body_link` is T_{body,link}.
void Lump(const Pose& body_link, const LinkInertial& inertial, TreeBody& body);

}  // namespace torqued

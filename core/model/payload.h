// A model that carries something.
#pragma once

#include <memory>

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

}  // namespace torqued

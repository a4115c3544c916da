// Robots with rotors, which URDF cannot describe.
#pragma once

#include <memory>

#include "core/model/model.h"

namespace torqued::testing_support {

/// What hangs on a body of the robot, with this body as its base: "root".
std::shared_ptr<const Model> PartBeyond(const Model& model, int base);

/// The robot with rotor inertias of 0.1 kg m² (kg) and more times `scale`;
/// built from the numbers of the model, of which all moving bodies have a mass.
/// Joints keep their friction and lose their limits. They may come in another
/// order: here no fixed joint counts among the siblings. The frames are those
/// of the bodies and the tip, "tip".
std::shared_ptr<const Model> WithArmature(const Model& model, double scale);

}  // namespace torqued::testing_support

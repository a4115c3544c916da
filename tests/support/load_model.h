// Models of robot descriptions, for tests.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/model/model.h"

namespace torqued::testing_support {

/// The model of a URDF text; a failure of the running test, and null, when
/// LoadUrdf has errors. Empty `tip`: the only leaf link.
std::shared_ptr<const Model> LoadModel(std::string_view urdf,
                                       const std::string& tip = {});

/// The model of examples/robots/NAME.urdf.
std::shared_ptr<const Model> ShippedModel(const std::string& name);

/// The whole file; a failure of the running test when it cannot be read.
std::string ReadFile(const std::string& path);

}  // namespace torqued::testing_support

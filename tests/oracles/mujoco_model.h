// Reads a URDF text with MuJoCo.
#pragma once

#include <mujoco/mujoco.h>

#include <array>
#include <memory>
#include <string>

namespace torqued::testing_support {

struct DeleteMujoco {
  void operator()(mjModel* model) const { mj_deleteModel(model); }
  void operator()(mjData* data) const { mj_deleteData(data); }
};
using MujocoModel = std::unique_ptr<mjModel, DeleteMujoco>;
using MujocoData = std::unique_ptr<mjData, DeleteMujoco>;

/// No link is merged, no inertia changed. Contacts, limits, damping and Coulomb
/// friction are off. Throws std::runtime_error where MuJoCo refuses the text.
MujocoModel LoadMujocoModel(const std::string& urdf,
                            const std::array<double, 3>& gravity);

}  // namespace torqued::testing_support

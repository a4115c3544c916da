#include "core/batch/output_traits.h"

#include <array>
#include <cstddef>

namespace torqued {
namespace {

/// In the order of Output.
constexpr std::array<OutputTraits, kOutputCount> kTraits = {{
    {"tau", OutputShape::kJointVector},
    {"mass_matrix", OutputShape::kMassMatrix},
    {"a", OutputShape::kJointVector},
    {"bias", OutputShape::kJointVector},
    {"pose", OutputShape::kPose},
    {"jacobian", OutputShape::kSixByJoints},
    {"jacobian_drift", OutputShape::kVector6},
    {"lambda", OutputShape::kTaskMatrix},
    {"eta", OutputShape::kTaskVector},
    {"gravity", OutputShape::kJointVector},
    {"coriolis", OutputShape::kJointVector},
    {"coriolis_matrix", OutputShape::kJointMatrix},
    {"christoffel", OutputShape::kJointCube},
    {"mass_matrix_rate", OutputShape::kJointMatrix},
    {"mass_matrix_inverse", OutputShape::kJointMatrix},
    {"kinetic_energy", OutputShape::kScalar},
    {"potential_energy", OutputShape::kScalar},
    {"center_of_mass", OutputShape::kVector3},
    {"center_of_mass_velocity", OutputShape::kVector3},
    {"momentum", OutputShape::kVector6},
    {"momentum_matrix", OutputShape::kSixByJoints},
    {"link_twists", OutputShape::kJointsBySix},
    {"link_accelerations", OutputShape::kJointsBySix},
    {"frame_velocity", OutputShape::kVector6},
    {"frame_acceleration", OutputShape::kVector6},
    {"frame_acceleration_classical", OutputShape::kVector6},
    {"jacobian_rate", OutputShape::kSixByJoints},
    {"joint_wrenches", OutputShape::kJointsBySix},
    {"base_wrench", OutputShape::kVector6},
    {"regressor", OutputShape::kRegressor},
    {"dtau_dq", OutputShape::kJointMatrix},
    {"dtau_dv", OutputShape::kJointMatrix},
    {"da_dq", OutputShape::kJointMatrix},
    {"da_dv", OutputShape::kJointMatrix},
    {"da_dtau", OutputShape::kJointMatrix},
    {"mobility", OutputShape::kTaskMatrix},
    {"consistent_inverse", OutputShape::kJointsByAxes},
    {"null_space_projector", OutputShape::kJointMatrix},
    {"forward_frame_acceleration", OutputShape::kVector6},
    {"task_torque", OutputShape::kJointVector},
    {"power_balance", OutputShape::kPowers},
}};

}  // namespace

const OutputTraits& TraitsOf(Output output) {
  return kTraits[static_cast<std::size_t>(output)];
}

}  // namespace torqued

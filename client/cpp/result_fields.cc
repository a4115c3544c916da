#include "client/cpp/result_fields.h"

namespace torqued::client {
namespace {

using R = v1::Results;
using E = Evaluation;
using S = RowShape;

constexpr ResultField kFields[] = {
    {v1::QUANTITY_INVERSE_DYNAMICS, "tau", S::kJoints, &R::has_tau, &R::tau,
     &E::tau},
    {v1::QUANTITY_MASS_MATRIX, "mass_matrix", S::kJointsByJoints,
     &R::has_mass_matrix, &R::mass_matrix, &E::mass_matrix},
    {v1::QUANTITY_FORWARD_DYNAMICS, "a", S::kJoints, &R::has_a, &R::a, &E::a},
    {v1::QUANTITY_BIAS_FORCES, "bias", S::kJoints, &R::has_bias, &R::bias,
     &E::bias},
    {v1::QUANTITY_FRAME_POSE, "pose", S::kPose, &R::has_pose, &R::pose,
     &E::pose},
    {v1::QUANTITY_JACOBIAN, "jacobian", S::kSixByJoints, &R::has_jacobian,
     &R::jacobian, &E::jacobian},
    {v1::QUANTITY_JACOBIAN_DRIFT, "jacobian_drift", S::kSix,
     &R::has_jacobian_drift, &R::jacobian_drift, &E::jacobian_drift},
    {v1::QUANTITY_OPERATIONAL_SPACE, "lambda", S::kAxesByAxes, &R::has_lambda,
     &R::lambda, &E::lambda},
    {v1::QUANTITY_OPERATIONAL_SPACE, "eta", S::kAxes, &R::has_eta, &R::eta,
     &E::eta},
    {v1::QUANTITY_GRAVITY_FORCES, "gravity", S::kJoints, &R::has_gravity,
     &R::gravity, &E::gravity},
    {v1::QUANTITY_CORIOLIS_FORCES, "coriolis", S::kJoints, &R::has_coriolis,
     &R::coriolis, &E::coriolis},
    {v1::QUANTITY_CORIOLIS_MATRIX, "coriolis_matrix", S::kJointsByJoints,
     &R::has_coriolis_matrix, &R::coriolis_matrix, &E::coriolis_matrix},
    {v1::QUANTITY_CHRISTOFFEL_SYMBOLS, "christoffel", S::kJointsCubed,
     &R::has_christoffel, &R::christoffel, &E::christoffel},
    {v1::QUANTITY_MASS_MATRIX_RATE, "mass_matrix_rate", S::kJointsByJoints,
     &R::has_mass_matrix_rate, &R::mass_matrix_rate, &E::mass_matrix_rate},
    {v1::QUANTITY_MASS_MATRIX_INVERSE, "mass_matrix_inverse",
     S::kJointsByJoints, &R::has_mass_matrix_inverse, &R::mass_matrix_inverse,
     &E::mass_matrix_inverse},
    {v1::QUANTITY_ENERGY, "kinetic_energy", S::kOne, &R::has_kinetic_energy,
     &R::kinetic_energy, &E::kinetic_energy},
    {v1::QUANTITY_ENERGY, "potential_energy", S::kOne, &R::has_potential_energy,
     &R::potential_energy, &E::potential_energy},
    {v1::QUANTITY_CENTER_OF_MASS, "center_of_mass", S::kThree,
     &R::has_center_of_mass, &R::center_of_mass, &E::center_of_mass},
    {v1::QUANTITY_CENTER_OF_MASS, "center_of_mass_velocity", S::kThree,
     &R::has_center_of_mass_velocity, &R::center_of_mass_velocity,
     &E::center_of_mass_velocity},
    {v1::QUANTITY_MOMENTUM, "momentum", S::kSix, &R::has_momentum, &R::momentum,
     &E::momentum},
    {v1::QUANTITY_MOMENTUM_MATRIX, "momentum_matrix", S::kSixByJoints,
     &R::has_momentum_matrix, &R::momentum_matrix, &E::momentum_matrix},
    {v1::QUANTITY_LINK_TWISTS, "link_twists", S::kJointsBySix,
     &R::has_link_twists, &R::link_twists, &E::link_twists},
    {v1::QUANTITY_LINK_ACCELERATIONS, "link_accelerations", S::kJointsBySix,
     &R::has_link_accelerations, &R::link_accelerations,
     &E::link_accelerations},
    {v1::QUANTITY_FRAME_VELOCITY, "frame_velocity", S::kSix,
     &R::has_frame_velocity, &R::frame_velocity, &E::frame_velocity},
    {v1::QUANTITY_FRAME_ACCELERATION, "frame_acceleration", S::kSix,
     &R::has_frame_acceleration, &R::frame_acceleration,
     &E::frame_acceleration},
    {v1::QUANTITY_FRAME_ACCELERATION, "frame_acceleration_classical", S::kSix,
     &R::has_frame_acceleration_classical, &R::frame_acceleration_classical,
     &E::frame_acceleration_classical},
    {v1::QUANTITY_JACOBIAN_RATE, "jacobian_rate", S::kSixByJoints,
     &R::has_jacobian_rate, &R::jacobian_rate, &E::jacobian_rate},
    {v1::QUANTITY_JOINT_WRENCHES, "joint_wrenches", S::kJointsBySix,
     &R::has_joint_wrenches, &R::joint_wrenches, &E::joint_wrenches},
    {v1::QUANTITY_BASE_WRENCH, "base_wrench", S::kSix, &R::has_base_wrench,
     &R::base_wrench, &E::base_wrench},
    {v1::QUANTITY_REGRESSOR, "regressor", S::kRegressor, &R::has_regressor,
     &R::regressor, &E::regressor},
    {v1::QUANTITY_INVERSE_DYNAMICS_DERIVATIVES, "dtau_dq", S::kJointsByJoints,
     &R::has_dtau_dq, &R::dtau_dq, &E::dtau_dq},
    {v1::QUANTITY_INVERSE_DYNAMICS_DERIVATIVES, "dtau_dv", S::kJointsByJoints,
     &R::has_dtau_dv, &R::dtau_dv, &E::dtau_dv},
    {v1::QUANTITY_FORWARD_DYNAMICS_DERIVATIVES, "da_dq", S::kJointsByJoints,
     &R::has_da_dq, &R::da_dq, &E::da_dq},
    {v1::QUANTITY_FORWARD_DYNAMICS_DERIVATIVES, "da_dv", S::kJointsByJoints,
     &R::has_da_dv, &R::da_dv, &E::da_dv},
    {v1::QUANTITY_FORWARD_DYNAMICS_DERIVATIVES, "da_dtau", S::kJointsByJoints,
     &R::has_da_dtau, &R::da_dtau, &E::da_dtau},
    {v1::QUANTITY_TASK_PROJECTION, "mobility", S::kAxesByAxes, &R::has_mobility,
     &R::mobility, &E::mobility},
    {v1::QUANTITY_TASK_PROJECTION, "consistent_inverse", S::kJointsByAxes,
     &R::has_consistent_inverse, &R::consistent_inverse,
     &E::consistent_inverse},
    {v1::QUANTITY_TASK_PROJECTION, "null_space_projector", S::kJointsByJoints,
     &R::has_null_space_projector, &R::null_space_projector,
     &E::null_space_projector},
    {v1::QUANTITY_FORWARD_FRAME_ACCELERATION, "forward_frame_acceleration",
     S::kSix, &R::has_forward_frame_acceleration,
     &R::forward_frame_acceleration, &E::forward_frame_acceleration},
    {v1::QUANTITY_TASK_TORQUE, "task_torque", S::kJoints, &R::has_task_torque,
     &R::task_torque, &E::task_torque},
    {v1::QUANTITY_POWER_BALANCE, "power_balance", S::kPowers,
     &R::has_power_balance, &R::power_balance, &E::power_balance},
};

}  // namespace

std::span<const ResultField> ResultFields() { return kFields; }

std::int64_t Columns(RowShape shape, std::int64_t n, std::int64_t m) {
  switch (shape) {
    case RowShape::kOne:
      return 1;
    case RowShape::kThree:
      return 3;
    case RowShape::kSix:
      return 6;
    case RowShape::kPose:
      return 12;
    case RowShape::kJoints:
      return n;
    case RowShape::kJointsByJoints:
      return n * n;
    case RowShape::kSixByJoints:
    case RowShape::kJointsBySix:
      return 6 * n;
    case RowShape::kJointsCubed:
      return n * n * n;
    case RowShape::kRegressor:
      return 10 * n * n;
    case RowShape::kJointsByAxes:
      return n * m;
    case RowShape::kAxes:
      return m;
    case RowShape::kAxesByAxes:
      return m * m;
    case RowShape::kPowers:
      return 8;
  }
  return 0;
}

}  // namespace torqued::client

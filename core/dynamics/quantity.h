// The quantities of a model, and the tables of numbers that they read and
// write.
//
// Free of standard headers, so that units compiled for different instruction
// sets can share it.
#pragma once

/// A row for each quantity and each of its tables, in the order of the
/// contract. The user of the table defines the macros of its rows:
/// QUANTITY(enumerator, name, inputs that it reads in addition to q, traits,
/// outputs,
///            most degrees of freedom if they are limited)
///   OUTPUT(enumerator, name, dimensions)
/// Outputs and inputs have the names of their fields on the wire. Namespace
/// `table` below defines the words. The limits keep the time of a block of
/// states below 0.2 s.
// clang-format off
#define TORQUED_QUANTITIES(QUANTITY, OUTPUT) \
  QUANTITY(kInverseDynamics, "inverse_dynamics", kV | kA | kForces, 0, \
           OUTPUT(kTau, "tau", kJoints)) \
  QUANTITY(kMassMatrix, "mass_matrix", 0, 0, \
           OUTPUT(kMassMatrix, "mass_matrix", kJoints, kSymmetric)) \
  QUANTITY(kForwardDynamics, "forward_dynamics", kV | kTau | kForces, kSolvesMass, \
           OUTPUT(kAcceleration, "a", kJoints)) \
  QUANTITY(kBiasForces, "bias_forces", kV | kBaseMotion | kGravity, 0, \
           OUTPUT(kBias, "bias", kJoints)) \
  QUANTITY(kFramePose, "frame_pose", 0, kOfTip, OUTPUT(kPose, "pose", 12)) \
  QUANTITY(kJacobian, "jacobian", 0, kOfTip, \
           OUTPUT(kJacobian, "jacobian", 6, kJoints)) \
  QUANTITY(kJacobianDrift, "jacobian_drift", kV | kBaseMotion, kOfTip, \
           OUTPUT(kJacobianDrift, "jacobian_drift", 6)) \
  QUANTITY(kOperationalSpace, "operational_space", kV | kBaseMotion | kGravity, \
           kSolvesTask, \
           OUTPUT(kLambda, "lambda", kAxes, kSymmetric) \
           OUTPUT(kEta, "eta", kAxes), 256) \
  QUANTITY(kGravityForces, "gravity_forces", kGravity, 0, \
           OUTPUT(kGravity, "gravity", kJoints)) \
  QUANTITY(kCoriolisForces, "coriolis_forces", kV | kBaseMotion, 0, \
           OUTPUT(kCoriolis, "coriolis", kJoints)) \
  QUANTITY(kCoriolisMatrix, "coriolis_matrix", kV, 0, \
           OUTPUT(kCoriolisMatrix, "coriolis_matrix", kJoints, kJoints)) \
  QUANTITY(kChristoffelSymbols, "christoffel_symbols", 0, 0, \
           OUTPUT(kChristoffel, "christoffel", kJoints, kJoints, kJoints), 100) \
  QUANTITY(kMassMatrixRate, "mass_matrix_rate", kV, 0, \
           OUTPUT(kMassMatrixRate, "mass_matrix_rate", kJoints, kJoints)) \
  QUANTITY(kMassMatrixInverse, "mass_matrix_inverse", 0, kTakesInverse, \
           OUTPUT(kMassMatrixInverse, "mass_matrix_inverse", kJoints, kJoints), \
           256) \
  QUANTITY(kEnergy, "energy", kV | kBaseMotion | kGravity, 0, \
           OUTPUT(kKineticEnergy, "kinetic_energy") \
           OUTPUT(kPotentialEnergy, "potential_energy")) \
  QUANTITY(kCenterOfMass, "center_of_mass", kV | kBaseMotion, 0, \
           OUTPUT(kCenterOfMass, "center_of_mass", 3) \
           OUTPUT(kCenterOfMassVelocity, "center_of_mass_velocity", 3)) \
  QUANTITY(kMomentum, "momentum", kV | kBaseMotion, 0, \
           OUTPUT(kMomentum, "momentum", 6)) \
  QUANTITY(kMomentumMatrix, "momentum_matrix", 0, 0, \
           OUTPUT(kMomentumMatrix, "momentum_matrix", 6, kJoints)) \
  QUANTITY(kLinkTwists, "link_twists", kV | kBaseMotion, 0, \
           OUTPUT(kLinkTwists, "link_twists", kJoints, 6)) \
  QUANTITY(kLinkAccelerations, "link_accelerations", kV | kA | kBaseMotion, \
           0, \
           OUTPUT(kLinkAccelerations, "link_accelerations", kJoints, 6)) \
  QUANTITY(kFrameVelocity, "frame_velocity", kV | kBaseMotion, kOfTip, \
           OUTPUT(kFrameVelocity, "frame_velocity", 6)) \
  QUANTITY(kFrameAcceleration, "frame_acceleration", kV | kA | kBaseMotion, \
           kOfTip, \
           OUTPUT(kFrameAcceleration, "frame_acceleration", 6) \
           OUTPUT(kFrameAccelerationClassical, "frame_acceleration_classical", 6)) \
  QUANTITY(kJacobianRate, "jacobian_rate", kV, kOfTip, \
           OUTPUT(kJacobianRate, "jacobian_rate", 6, kJoints)) \
  QUANTITY(kJointWrenches, "joint_wrenches", kV | kA | kForces, 0, \
           OUTPUT(kJointWrenches, "joint_wrenches", kJoints, 6)) \
  QUANTITY(kBaseWrench, "base_wrench", kV | kA | kForces, 0, \
           OUTPUT(kBaseWrench, "base_wrench", 6)) \
  QUANTITY(kRegressor, "regressor", kV | kA | kBaseMotion | kGravity, 0, \
           OUTPUT(kRegressor, "regressor", kJoints, kJoints, 10), 256) \
  QUANTITY(kInverseDynamicsDerivatives, "inverse_dynamics_derivatives", \
           kV | kA | kForces, 0, \
           OUTPUT(kTauByQ, "dtau_dq", kJoints, kJoints) \
           OUTPUT(kTauByV, "dtau_dv", kJoints, kJoints)) \
  QUANTITY(kForwardDynamicsDerivatives, "forward_dynamics_derivatives", \
           kV | kTau | kForces, kTakesInverse, \
           OUTPUT(kAccelerationByQ, "da_dq", kJoints, kJoints) \
           OUTPUT(kAccelerationByV, "da_dv", kJoints, kJoints) \
           OUTPUT(kAccelerationByTau, "da_dtau", kJoints, kJoints), 256) \
  QUANTITY(kTaskProjection, "task_projection", 0, kSolvesTask, \
           OUTPUT(kMobility, "mobility", kAxes, kSymmetric) \
           OUTPUT(kConsistentInverse, "consistent_inverse", kJoints, kAxes) \
           OUTPUT(kNullSpaceProjector, "null_space_projector", kJoints, kJoints), \
           256) \
  QUANTITY(kForwardFrameAcceleration, "forward_frame_acceleration", \
           kV | kTau | kForces, kSolvesMass | kOfTip, \
           OUTPUT(kForwardFrameAcceleration, "forward_frame_acceleration", 6)) \
  QUANTITY(kTaskTorque, "task_torque", kV | kTask | kForces, kSolvesTask, \
           OUTPUT(kTaskTorque, "task_torque", kJoints), 256) \
  QUANTITY(kPowerBalance, "power_balance", kV | kA | kForces, 0, \
           OUTPUT(kPowerBalance, "power_balance", 8))

/// The same of inputs:
///   INPUT(enumerator, member of EvaluationInputs, name, refusal where no
///         quantity reads it, dimensions)
#define TORQUED_INPUTS(INPUT) \
  INPUT(kQ, q, "q", "", kPositions) \
  INPUT(kV, v, "v", "", kJoints) \
  INPUT(kA, a, "a", "", kJoints) \
  INPUT(kTau, tau, "tau", "", kJoints) \
  INPUT(kTipWrench, tip_wrench, "tip_wrench_on_environment", kNoWrenches, 6) \
  INPUT(kBaseTwist, base_twist, "base_twist", kNoBaseMotion, 6) \
  INPUT(kBaseAcceleration, base_acceleration, "base_acceleration", kNoBaseMotion, \
        6) \
  INPUT(kExternalWrenches, external_wrenches, "external_wrenches_on_robot", \
        kNoWrenches, kPlaces, 6) \
  INPUT(kTaskAcceleration, task_acceleration, "task_acceleration", kNoTaskTorque, \
        kAxes) \
  INPUT(kNullSpaceTorque, null_space_torque, "null_space_torque", kNoTaskTorque, \
        kJoints) \
  INPUT(kGravity, gravity, "gravity", kNoGravity, 3)
// clang-format on

namespace torqued {

#define TORQUED_ID(id, ...) id,
#define TORQUED_NOTHING(...)
#define TORQUED_OUTPUTS(id, name, reads, traits, outputs, ...) outputs

enum class Quantity : unsigned char {
  TORQUED_QUANTITIES(TORQUED_ID, TORQUED_NOTHING)
};

/// One table per input, a row for each state or one for all.
enum class Input : unsigned char { TORQUED_INPUTS(TORQUED_ID) };

/// One table per result, a row for each state.
enum class Output : unsigned char {
  TORQUED_QUANTITIES(TORQUED_OUTPUTS, TORQUED_ID)
};

/// Axes and origin in which a Jacobian, drift, wrench or Λ is expressed.
enum class ReferenceFrame : unsigned char {
  kLocal,              // axes and origin of the frame itself
  kLocalWorldAligned,  // axes of the base, origin of the frame
  kWorld,              // axes and origin of the base
};

/// Sets of each, as bits.
using QuantityBits = unsigned long long;
using OutputBits = unsigned long long;
using InputBits = unsigned;

/// In a unit of its own for every instruction set, so never shared.
#define TORQUED_PER_TARGET __attribute__((always_inline)) static constexpr

TORQUED_PER_TARGET QuantityBits Bit(Quantity quantity) {
  return 1ULL << static_cast<unsigned>(quantity);
}
TORQUED_PER_TARGET OutputBits Bit(Output output) {
  return 1ULL << static_cast<unsigned>(output);
}
TORQUED_PER_TARGET InputBits Bit(Input input) {
  return 1U << static_cast<unsigned>(input);
}

/// The quantity that a table belongs to.
TORQUED_PER_TARGET Quantity QuantityOf(Output output) {
#define TORQUED_RETURN(id, name, reads, traits, outputs, ...) \
  outputs return Quantity::id;
#define TORQUED_CASE(id, ...) case Output::id:
  switch (output) { TORQUED_QUANTITIES(TORQUED_RETURN, TORQUED_CASE) }
  __builtin_unreachable();
}

/// The dimensions of a row, of which the last runs fastest: plain numbers, 0
/// after the last, or one of the following.
struct Shape {
  signed char sizes[3];
};

struct InputRow {
  const char* name;
  /// Refuses a table that no quantity reads; empty: it is accepted.
  const char* refusal;
  Shape shape;
};
struct OutputRow {
  const char* name;
  Shape shape;
};
struct QuantityRow {
  const char* name;
  InputBits reads;  // in addition to q
  unsigned traits;
  OutputBits outputs;
  int max_dof = 0;  // 0: any model's
};

/// The words of the rows.
namespace table {

constexpr InputBits kV = Bit(Input::kV), kA = Bit(Input::kA),
                    kTau = Bit(Input::kTau), kGravity = Bit(Input::kGravity);
constexpr InputBits kBaseMotion =
    Bit(Input::kBaseTwist) | Bit(Input::kBaseAcceleration);
constexpr InputBits kForces = kBaseMotion | kGravity | Bit(Input::kTipWrench) |
                              Bit(Input::kExternalWrenches);
constexpr InputBits kTask =
    Bit(Input::kTaskAcceleration) | Bit(Input::kNullSpaceTorque);

/// Refers to the tip frame, with or without a wrench.
constexpr unsigned kOfTip = 1;
constexpr unsigned kSolvesMass = 2;
constexpr unsigned kSolvesTask = 4 | kSolvesMass | kOfTip;
/// Needs all of M⁻¹.
constexpr unsigned kTakesInverse = 8 | kSolvesMass;

constexpr signed char kPositions = -1;  // nq
constexpr signed char kJoints = -2;     // nv
constexpr signed char kAxes = -3;       // of the task
constexpr signed char kPlaces = -4;     // of external wrenches
/// As many as before it: of a symmetric matrix, whose lower half the algorithms
/// store row by row.
constexpr signed char kSymmetric = -5;

constexpr char kNoWrenches[] =
    "A wrench takes part only in inverse and forward dynamics, their "
    "derivatives, the wrenches through joints and base, the task torque and "
    "the power balance, and none of these was asked for.";
constexpr char kNoBaseMotion[] =
    "None of the quantities that were asked for depends on the motion of the "
    "base.";
constexpr char kNoGravity[] =
    "None of the quantities that were asked for depends on gravity.";
constexpr char kNoTaskTorque[] =
    "Only the task torque takes it, which was not asked for.";

/// In the order of Quantity, Output and Input.
#define TORQUED_ROW(id, name, reads, traits, outputs, ...) \
  {name, reads, traits, 0 outputs, __VA_ARGS__},
#define TORQUED_BIT(id, ...) | Bit(Output::id)
#define TORQUED_SHAPE(id, name, ...) {name, {__VA_ARGS__}},
#define TORQUED_INPUT(id, member, name, refusal, ...) \
  {name, refusal, {__VA_ARGS__}},
constexpr QuantityRow kQuantities[] = {
    TORQUED_QUANTITIES(TORQUED_ROW, TORQUED_BIT)};
constexpr OutputRow kOutputs[] = {
    TORQUED_QUANTITIES(TORQUED_OUTPUTS, TORQUED_SHAPE)};
constexpr InputRow kInputs[] = {TORQUED_INPUTS(TORQUED_INPUT)};

}  // namespace table

constexpr int kQuantityCount = sizeof(table::kQuantities) / sizeof(QuantityRow);
constexpr int kOutputCount = sizeof(table::kOutputs) / sizeof(OutputRow);
constexpr int kInputCount = sizeof(table::kInputs) / sizeof(InputRow);

TORQUED_PER_TARGET const QuantityRow& RowOf(Quantity quantity) {
  return table::kQuantities[static_cast<unsigned>(quantity)];
}
TORQUED_PER_TARGET const OutputRow& RowOf(Output output) {
  return table::kOutputs[static_cast<unsigned>(output)];
}
TORQUED_PER_TARGET const InputRow& RowOf(Input input) {
  return table::kInputs[static_cast<unsigned>(input)];
}

/// The quantities that read one of these inputs.
TORQUED_PER_TARGET QuantityBits ReadersOf(InputBits inputs) {
  QuantityBits readers = 0;
  for (int k = 0; k < kQuantityCount; ++k) {
    if ((table::kQuantities[k].reads & inputs) != 0) readers |= 1ULL << k;
  }
  return readers;
}
/// The quantities that have all of these traits.
TORQUED_PER_TARGET QuantityBits QuantitiesWith(unsigned traits) {
  QuantityBits found = 0;
  for (int k = 0; k < kQuantityCount; ++k) {
    if ((table::kQuantities[k].traits & traits) == traits) found |= 1ULL << k;
  }
  return found;
}
#undef TORQUED_PER_TARGET

constexpr QuantityBits kTipQuantities = QuantitiesWith(table::kOfTip);
constexpr QuantityBits kTaskQuantities = QuantitiesWith(table::kSolvesTask);
constexpr QuantityBits kSolvesMassMatrix = QuantitiesWith(table::kSolvesMass);
constexpr QuantityBits kTakesInverse = QuantitiesWith(table::kTakesInverse);

}  // namespace torqued

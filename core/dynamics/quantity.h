// What can be asked of a model, and the tables of numbers that go in and come
// out.
//
// Free of standard headers, so that units compiled for different instruction
// sets can share it.
#pragma once

namespace torqued {

/// Each needs q; what else is read stands beside it. What reads the motion of
/// the base stands in core/batch/quantity_needs.h.
enum class Quantity : unsigned char {
  kInverseDynamics,     // v, a, gravity, friction, wrenches
  kMassMatrix,          //
  kForwardDynamics,     // v, tau, gravity, friction, wrenches
  kBiasForces,          // v, gravity, friction
  kFramePose,           //
  kJacobian,            //
  kJacobianDrift,       // v
  kOperationalSpace,    // v, gravity, friction
  kGravityForces,       // gravity
  kCoriolisForces,      // v
  kCoriolisMatrix,      // v
  kChristoffelSymbols,  //
  kMassMatrixRate,      // v
  kMassMatrixInverse,   //
  kEnergy,              // v, gravity
  kCenterOfMass,        // v
  kMomentum,            // v
  kMomentumMatrix,      //
  kLinkTwists,          // v
  kLinkAccelerations,   // v, a
  kFrameVelocity,       // v
  kFrameAcceleration,   // v, a
  kJacobianRate,        // v
  kJointWrenches,       // v, a, gravity, wrenches
  kBaseWrench,          // v, a, gravity, wrenches
  kRegressor,           // v, a, gravity
  /// v, a, gravity, friction, wrenches
  kInverseDynamicsDerivatives,
  /// v, tau, gravity, friction, wrenches
  kForwardDynamicsDerivatives,
  kTaskProjection,            //
  kForwardFrameAcceleration,  // v, tau, gravity, friction, wrenches
  /// v, task acceleration, null-space torque, gravity, friction, wrenches
  kTaskTorque,
  kPowerBalance,  // v, a, gravity, friction, wrenches
};
inline constexpr int kQuantityCount = 32;

/// One table per input, a row for each state or one for all.
enum class Input : unsigned char {
  kQ,
  kV,
  kA,
  kTau,
  kTipWrench,
  kBaseTwist,
  kBaseAcceleration,
  kExternalWrenches,
  kTaskAcceleration,
  kNullSpaceTorque,
  kGravity,
};
inline constexpr int kInputCount = 11;

/// One table per result, a row for each state.
enum class Output : unsigned char {
  kTau,
  kMassMatrix,
  kAcceleration,
  kBias,
  kPose,
  kJacobian,
  kJacobianDrift,
  kLambda,
  kEta,
  kGravity,
  kCoriolis,
  kCoriolisMatrix,
  kChristoffel,
  kMassMatrixRate,
  kMassMatrixInverse,
  kKineticEnergy,
  kPotentialEnergy,
  kCenterOfMass,
  kCenterOfMassVelocity,
  kMomentum,
  kMomentumMatrix,
  kLinkTwists,
  kLinkAccelerations,
  kFrameVelocity,
  kFrameAcceleration,
  kFrameAccelerationClassical,
  kJacobianRate,
  kJointWrenches,
  kBaseWrench,
  kRegressor,
  kTauByQ,
  kTauByV,
  kAccelerationByQ,
  kAccelerationByV,
  kAccelerationByTau,
  kMobility,
  kConsistentInverse,
  kNullSpaceProjector,
  kForwardFrameAcceleration,
  kTaskTorque,
  kPowerBalance,
};
inline constexpr int kOutputCount = 41;

/// Sets of each, as bits.
using QuantityBits = unsigned long long;
using OutputBits = unsigned long long;
using InputBits = unsigned;

/// In a unit of its own for every instruction set, so never shared.
#define TORQUED_OF_THE_UNIT __attribute__((always_inline)) static constexpr

TORQUED_OF_THE_UNIT QuantityBits Bit(Quantity quantity) {
  return 1ULL << static_cast<unsigned>(quantity);
}
TORQUED_OF_THE_UNIT OutputBits Bit(Output output) {
  return 1ULL << static_cast<unsigned>(output);
}
TORQUED_OF_THE_UNIT InputBits Bit(Input input) {
  return 1U << static_cast<unsigned>(input);
}

/// The quantity that a table belongs to.
TORQUED_OF_THE_UNIT Quantity QuantityOf(Output output) {
  constexpr Quantity kOf[kOutputCount] = {
      Quantity::kInverseDynamics,
      Quantity::kMassMatrix,
      Quantity::kForwardDynamics,
      Quantity::kBiasForces,
      Quantity::kFramePose,
      Quantity::kJacobian,
      Quantity::kJacobianDrift,
      Quantity::kOperationalSpace,
      Quantity::kOperationalSpace,
      Quantity::kGravityForces,
      Quantity::kCoriolisForces,
      Quantity::kCoriolisMatrix,
      Quantity::kChristoffelSymbols,
      Quantity::kMassMatrixRate,
      Quantity::kMassMatrixInverse,
      Quantity::kEnergy,
      Quantity::kEnergy,
      Quantity::kCenterOfMass,
      Quantity::kCenterOfMass,
      Quantity::kMomentum,
      Quantity::kMomentumMatrix,
      Quantity::kLinkTwists,
      Quantity::kLinkAccelerations,
      Quantity::kFrameVelocity,
      Quantity::kFrameAcceleration,
      Quantity::kFrameAcceleration,
      Quantity::kJacobianRate,
      Quantity::kJointWrenches,
      Quantity::kBaseWrench,
      Quantity::kRegressor,
      Quantity::kInverseDynamicsDerivatives,
      Quantity::kInverseDynamicsDerivatives,
      Quantity::kForwardDynamicsDerivatives,
      Quantity::kForwardDynamicsDerivatives,
      Quantity::kForwardDynamicsDerivatives,
      Quantity::kTaskProjection,
      Quantity::kTaskProjection,
      Quantity::kTaskProjection,
      Quantity::kForwardFrameAcceleration,
      Quantity::kTaskTorque,
      Quantity::kPowerBalance,
  };
  return kOf[static_cast<unsigned>(output)];
}

#undef TORQUED_OF_THE_UNIT

}  // namespace torqued

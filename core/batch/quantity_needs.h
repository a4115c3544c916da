// What quantities read beside q.
#pragma once

#include "core/batch/evaluation.h"

namespace torqued {

/// Need tau.
inline constexpr QuantitySet kQuantitiesOfTau = {
    Quantity::kForwardDynamics, Quantity::kForwardDynamicsDerivatives,
    Quantity::kForwardFrameAcceleration};

/// Take what is said of the task.
inline constexpr QuantitySet kQuantitiesOfTheTask = {
    Quantity::kOperationalSpace, Quantity::kTaskProjection,
    Quantity::kTaskTorque};

/// Refer to the tip frame, with or without a wrench.
inline constexpr QuantitySet kQuantitiesOfTheFrame = {
    Quantity::kFramePose,
    Quantity::kJacobian,
    Quantity::kJacobianDrift,
    Quantity::kOperationalSpace,
    Quantity::kFrameVelocity,
    Quantity::kFrameAcceleration,
    Quantity::kJacobianRate,
    Quantity::kTaskProjection,
    Quantity::kForwardFrameAcceleration,
    Quantity::kTaskTorque};

/// Those that a wrench changes.
inline constexpr QuantitySet kQuantitiesUnderWrenches = {
    Quantity::kInverseDynamics,
    Quantity::kForwardDynamics,
    Quantity::kJointWrenches,
    Quantity::kBaseWrench,
    Quantity::kInverseDynamicsDerivatives,
    Quantity::kForwardDynamicsDerivatives,
    Quantity::kForwardFrameAcceleration,
    Quantity::kTaskTorque,
    Quantity::kPowerBalance};

/// Those of the equations of motion, which wrenches, gravity or the motion of
/// the base change.
inline constexpr QuantitySet kQuantitiesOfMotion =
    kQuantitiesUnderWrenches |
    QuantitySet{Quantity::kBiasForces, Quantity::kOperationalSpace,
                Quantity::kEnergy, Quantity::kRegressor};

/// Those that gravity changes.
inline constexpr QuantitySet kQuantitiesOfGravity =
    kQuantitiesOfMotion | QuantitySet{Quantity::kGravityForces};

/// Those that a motion of the base changes.
inline constexpr QuantitySet kQuantitiesOnMovingBases =
    kQuantitiesOfMotion |
    QuantitySet{Quantity::kJacobianDrift, Quantity::kCoriolisForces,
                Quantity::kCenterOfMass,  Quantity::kMomentum,
                Quantity::kLinkTwists,    Quantity::kLinkAccelerations,
                Quantity::kFrameVelocity, Quantity::kFrameAcceleration};

/// Solve with the mass matrix.
inline constexpr QuantitySet kQuantitiesOfTheInverse = {
    Quantity::kForwardDynamics,   Quantity::kOperationalSpace,
    Quantity::kMassMatrixInverse, Quantity::kForwardDynamicsDerivatives,
    Quantity::kTaskProjection,    Quantity::kForwardFrameAcceleration,
    Quantity::kTaskTorque};

}  // namespace torqued

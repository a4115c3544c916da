// What quantities read beside q.
#pragma once

#include "core/batch/evaluation.h"

namespace torqued {

/// Need tau.
inline constexpr QuantitySet kQuantitiesOfTau = {
    Quantity::kForwardDynamics, Quantity::kForwardDynamicsDerivatives};

/// Refer to the tip frame, with or without a wrench.
inline constexpr QuantitySet kQuantitiesOfTheFrame = {
    Quantity::kFramePose,     Quantity::kJacobian,
    Quantity::kJacobianDrift, Quantity::kOperationalSpace,
    Quantity::kFrameVelocity, Quantity::kFrameAcceleration,
    Quantity::kJacobianRate};

/// Those that a tip wrench changes.
inline constexpr QuantitySet kQuantitiesUnderWrenches = {
    Quantity::kInverseDynamics,
    Quantity::kForwardDynamics,
    Quantity::kJointWrenches,
    Quantity::kBaseWrench,
    Quantity::kInverseDynamicsDerivatives,
    Quantity::kForwardDynamicsDerivatives};

/// Solve with the mass matrix.
inline constexpr QuantitySet kQuantitiesOfTheInverse = {
    Quantity::kForwardDynamics, Quantity::kOperationalSpace,
    Quantity::kMassMatrixInverse, Quantity::kForwardDynamicsDerivatives};

}  // namespace torqued

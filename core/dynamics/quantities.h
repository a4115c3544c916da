// Quantities that take nothing but a general text: one function for all of
// them, for lanes and for single states.
#pragma once

#include "core/dynamics/applied_wrenches.h"
#include "core/dynamics/base_motion.h"
#include "core/dynamics/coriolis.h"
#include "core/dynamics/forward_derivatives.h"
#include "core/dynamics/quantity.h"
#include "core/dynamics/rnea.h"
#include "core/dynamics/scratch.h"
#include "core/dynamics/scratch_layout-inl.h"
#include "core/model/tree.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// All that ComputeQuantities knows.
inline constexpr QuantityBits kGeneralQuantities =
    Bit(Quantity::kGravityForces) | Bit(Quantity::kCoriolisForces) |
    Bit(Quantity::kCoriolisMatrix) | Bit(Quantity::kChristoffelSymbols) |
    Bit(Quantity::kMassMatrixRate) | Bit(Quantity::kMassMatrixInverse) |
    Bit(Quantity::kEnergy) | Bit(Quantity::kCenterOfMass) |
    Bit(Quantity::kMomentum) | Bit(Quantity::kMomentumMatrix) |
    Bit(Quantity::kLinkTwists) | Bit(Quantity::kLinkAccelerations) |
    Bit(Quantity::kFrameVelocity) | Bit(Quantity::kFrameAcceleration) |
    Bit(Quantity::kJacobianRate) | Bit(Quantity::kJointWrenches) |
    Bit(Quantity::kBaseWrench) | Bit(Quantity::kRegressor) |
    Bit(Quantity::kInverseDynamicsDerivatives) |
    Bit(Quantity::kForwardDynamicsDerivatives) | Bit(Quantity::kPowerBalance);

/// Those of them that solve with the mass matrix, whose pivots nobody tests
/// here.
inline constexpr QuantityBits kGeneralSolutions =
    Bit(Quantity::kMassMatrixInverse) |
    Bit(Quantity::kForwardDynamicsDerivatives);

/// One state (or one block of lanes), in canonical order.
template <class T>
struct QuantityInputs {
  Tree tree;
  DynamicsTerms terms;   // with the wrenches, if any, in scratch.W
  const BodyFrame* tip;  // null: no quantity needs one
  ReferenceFrame reference;
  const T* v;  // null: zeros
  const T* a;  // null: zeros
  AppliedWrenches<T> wrenches;
  const BaseMotion<T>* base;  // null: at rest
  /// The acceleration of forward dynamics, for its derivatives.
  const T* forward_acceleration;
};

/// Memory of ComputeQuantities.
template <class T>
struct QuantityScratch {
  CoriolisScratch<T> coriolis;
  RneaDerivativesScratch<T> inverse_derivatives;
  ForwardDerivativesScratch<T> forward_derivatives;
  T* result;  // of one text
};

}  // namespace TORQUED_TARGET
}  // namespace torqued

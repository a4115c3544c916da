// Quantities of a row that need no decision: one function for all of them.
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

// The memory that the algorithms work in, for one state (or one lane block).
#pragma once

#include "core/spatial/inertia.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// Plain pointers into a Workspace; n bodies. Filled stage by stage, so that
/// several quantities of one state share what they have in common:
/// ComputePlacements first, ComputeWorldPlacements where a text says so.
template <class T>
struct Scratch {
  Transform<T>* X;        // T_{λ(i),i}(q)
  Transform<T>* X_world;  // T_{0,i}(q)
  Twist<T>* V;            // body twist V_i, in {i}
  Twist<T>* A;            // body acceleration V̇_i, in {i}
  Wrench<T>* F;           // wrench through joint i, or bias wrench p_i, in {i}
  SpatialInertia<T>* Gc;  // composite inertia of the subtree of i, in {i}
  ArticulatedInertia<T>* Ga;  // articulated inertia, in {i}
  Wrench<T>* U;               // Ĝ_i A_i
  T* d;                       // A_iᵀ U_i
  T* u;                       // n
  Wrench<T>* W;               // external wrench on body i, in {i}
  T* h;                       // bias forces, n
  T* M;                       // mass matrix or its factors, n x n
  T* J;                       // Jacobian, 6 x n
  T* Y;                       // L⁻¹ [Jᵀ | h] by rows, 7 x n
};

}  // namespace TORQUED_TARGET
}  // namespace torqued

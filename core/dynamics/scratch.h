// The memory that the algorithms on the described tree work in, for one state.
#pragma once

#include "core/spatial/inertia.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// Plain pointers into a Workspace; n bodies.
template <class T>
struct Scratch {
  Transform<T>* X;            // T_{λ(i),i}(q)
  SpatialInertia<T>* Gc;      // composite inertia of the subtree of i, in {i}
  ArticulatedInertia<T>* Ga;  // articulated inertia, in {i}
  Wrench<T>* U;               // Ĝ_i A_i
  T* d;                       // A_iᵀ U_i
  T* u;                       // n
  T* h;                       // bias forces, n
  T* M;                       // mass matrix or its factors, n x n
  T* J;                       // Jacobian, 6 x n
  T* Y;                       // L⁻¹ [Jᵀ | h] by rows, 7 x n
};

}  // namespace TORQUED_TARGET
}  // namespace torqued

// Derivatives of inverse dynamics by recursion (Singh, Russell & Wensing 2022,
// "Efficient analytical derivatives of rigid-body dynamics using spatial vector
// algebra"; for joints of one degree of freedom).
#pragma once

#include "core/dynamics/rnea.h"
#include "core/dynamics/scratch.h"
#include "core/model/tree.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// A subtree about the base's origin, in base axes: what its forces depend on.
/// x runs over its particles.
template <class T>
struct SubtreeMotion {
  SpatialInertia<T> G;
  /// E = ∫ρ ((x·ẋ) 1 − ẋ xᵀ): E w = ∫ρ x × (w × ẋ).
  Mat3<T> E;
  Vec3<T> p;    // ∫ρ ẋ
  Wrench<T> f;  // that its motion needs, gravity too, less external wrenches
};

/// Memory of InverseDynamicsDerivatives; n bodies, twists in base axes about
/// the base's origin.
template <class T>
struct RneaDerivativesScratch {
  Twist<T>* S;            // Ad_{T_0i} A_i
  Twist<T>* S_rate;       // 2 ad_{V_λ} S_i
  Twist<T>* S_rate_rate;  // ad_{V̇_λ} S_i + ad_{V_λ} ad_{V_λ} S_i
  Twist<T>* V;
  Twist<T>* A;  // V̇ of a base that accelerates at −g
  SubtreeMotion<T>* sum;
};

/// With tau = ID(q, v, a), see InverseDynamics: dtau_dq, dtau_dv and
/// M = dtau/da, each [n x n], row-major and written whole. Armature is part of
/// M. Coulomb friction has no derivative, at v = 0 neither, unless it is
/// smoothed. Null v or a means zeros. Needs X_world.
///
/// External wrenches scratch.W turn with their bodies: they are constant in
/// {i}. AddHeldWrenchDerivative adds what else there is where they are not.
template <class T>
void InverseDynamicsDerivatives(const Tree& tree, const DynamicsTerms& terms,
                                const T* v, const T* a,
                                const Scratch<T>& scratch,
                                const RneaDerivativesScratch<T>& own,
                                T* dtau_dq, T* dtau_dv, T* M,
                                const BaseMotion<T>* base = nullptr);

/// A wrench W, 6 numbers (moment; force), acts on a body at a frame and is
/// constant in `reference`, with J[6 x n] of that frame in that reference (see
/// FrameJacobian). To the derivatives of tau = … − Jᵀ W with respect to q for
/// a W that turns with the body, this adds what makes them those of this W:
///   local           nothing
///   world-aligned   J_iᵀ (ω_j × m; ω_j × f),  ω_j: angular part of J_j
///   world           J_iᵀ (−ad_{J_j}ᵀ W)
/// For the wrench F that the frame exerts on its environment, tau = … + Jᵀ F,
/// give W = −F. Of J the columns of the joints that carry `body`, the frame's,
/// are read.
template <class T>
void AddHeldWrenchDerivative(const Tree& tree, int body,
                             ReferenceFrame reference, const T* J,
                             const T* wrench, T* dtau_dq);

}  // namespace TORQUED_TARGET
}  // namespace torqued

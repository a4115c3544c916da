// Derivatives of forward dynamics from those of inverse dynamics (Carpentier &
// Mansard 2018, "Analytical derivatives of rigid body dynamics algorithms").
#pragma once

#include "core/dynamics/mass_inverse.h"
#include "core/dynamics/rnea_derivatives.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// Memory of ForwardDynamicsDerivatives, for n bodies.
template <class T>
struct ForwardDerivativesScratch {
  T* dtau_dq;  // n x n
  T* dtau_dv;  // n x n
  MassInverseScratch<T> mass;
};

/// With a = FD(q, v, tau), see ForwardDynamics: da_dq, da_dv and
/// da_dtau = M⁻¹, each [n x n], row-major and written whole. `a` is that
/// acceleration: of these terms and external wrenches. Needs X_world. Bodies
/// come in depth-first order, as those of a Model do. Tests no pivot: see
/// MassInverseScratch. For wrenches that do not turn with their bodies,
/// AddHeldWrenchDerivative comes between InverseDynamicsDerivatives and
/// SolveForwardDerivatives.
template <class T>
void ForwardDynamicsDerivatives(const Tree& tree, const DynamicsTerms& terms,
                                const T* v, const T* a,
                                const Scratch<T>& scratch,
                                const RneaDerivativesScratch<T>& inverse,
                                const ForwardDerivativesScratch<T>& own,
                                T* da_dq, T* da_dv, T* da_dtau);

/// The same from own.dtau_dq, own.dtau_dv and, in da_dtau, M, which the text on
/// lowered trees gives as well:
/// da/dq = −M⁻¹ dtau/dq, da/dv = −M⁻¹ dtau/dv, da/dtau = M⁻¹.
template <class T>
void SolveForwardDerivatives(const Tree& tree,
                             const ForwardDerivativesScratch<T>& own, T* da_dq,
                             T* da_dv, T* da_dtau);

}  // namespace TORQUED_TARGET
}  // namespace torqued

// Joint torques for a wanted acceleration of a task (Khatib 1987).
#pragma once

#include "core/spatial/scalar.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// tau[n] = Jᵀ (Λ a* + η) + Nᵀ τ_0 with a* = wanted[m]: the task accelerates at
/// a*, whatever the torques τ_0 = null_space[n]; null means zeros. h[n] are the
/// bias forces, less what external wrenches give; drift[m] is J̇ q̇. J is m x n,
/// LD has the factors of M (see FactorLdlt), lambda[m x m] is Λ; `work` holds n
/// numbers. Where Λ is restricted to range(J), the acceleration is that part of
/// a* that J can give. As it stands it is computed as
///   τ_0 + Jᵀ Λ (a* − J̇ q̇ + J M⁻¹ (h − τ_0)).
template <class T>
void TaskTorque(int m, int n, const T* J, const T* LD, const T* lambda,
                const T* h, const T* drift, const T* wanted,
                const T* null_space, T* work, T* tau);

}  // namespace TORQUED_TARGET
}  // namespace torqued

// The joint torques as a linear function of the bodies' inertial parameters
// (Atkeson, An & Hollerbach 1986).
#pragma once

#include "core/dynamics/rnea.h"
#include "core/dynamics/scratch.h"
#include "core/model/tree.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// Parameters of a body: m, m c_x, m c_y, m c_z, I_xx, I_xy, I_yy, I_xz, I_yz,
/// I_zz, in body axes, I about the origin of {i}.
inline constexpr int kInertialParameters = 10;

/// Y[n x 10 n], row-major: Y θ = tau without friction, armature and external
/// wrenches, θ the parameters of body 0, then of body 1, ... Of the terms only
/// gravity is read. Needs X and X_world; uses V and A, which hold other things
/// afterwards. Null v or a means zeros.
template <class T>
void TorqueRegressor(const Tree& tree, const DynamicsTerms& terms, const T* v,
                     const T* a, Scratch<T>& scratch, T* Y,
                     const BaseMotion<T>* base = nullptr);

}  // namespace TORQUED_TARGET
}  // namespace torqued

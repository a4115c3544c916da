#pragma once

#include "core/dynamics/crba-inl.h"
#include "core/dynamics/joint-inl.h"
#include "core/dynamics/link_motion-inl.h"
#include "core/dynamics/momentum.h"
#include "core/dynamics/store-inl.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// 1 / m; zero without mass, which puts the centre of mass at the base origin.
TORQUED_INLINE double InverseMass(const Tree& tree) {
  const double mass = TotalMass(tree);
  return mass > 0 ? 1 / mass : 0;
}

/// Σ m_i p_com,i in base axes.
template <class T>
TORQUED_INLINE Vec3<T> FirstMoment(const Tree& tree,
                                   const Scratch<T>& scratch) {
  Vec3<T> sum = Vec3<T>::Zero();
  for (int i = 0; i < tree.n; ++i) {
    const TreeBody& body = tree.bodies[i];
    const Transform<T>& X = scratch.X_world[i];
    sum += X.R * Vec3<T>::Constant(body.h) + X.p * T(body.mass);
  }
  return sum;
}

template <class T>
TORQUED_INLINE Vec3<T> PlaceOfCenterOfMass(const Tree& tree,
                                           const Scratch<T>& scratch) {
  return FirstMoment(tree, scratch) * T(InverseMass(tree));
}

template <class T>
void CenterOfMass(const Tree& tree, const Scratch<T>& scratch, T* com) {
  Store(PlaceOfCenterOfMass(tree, scratch), com);
}

template <class T>
void CentroidalMomentum(const Tree& tree, const T* v, Scratch<T>& scratch,
                        T* com, T* com_velocity, T* momentum,
                        const BaseMotion<T>* base) {
  ComputeBodyTwists(tree, v, scratch, base);
  // About the base origin first: Σ Ad_{T_i0}ᵀ G_i V_i.
  Wrench<T> sum = Wrench<T>::Zero();
  for (int i = 0; i < tree.n; ++i) {
    const SpatialInertia<T> G = BodyInertia<T>(tree.bodies[i]);
    sum += ToParent(scratch.X_world[i], G * scratch.V[i]);
  }
  const Vec3<T> p = PlaceOfCenterOfMass(tree, scratch);
  sum.m -= Cross(p, sum.f);
  Store(p, com);
  Store(sum.f * T(InverseMass(tree)), com_velocity);
  Store(sum, momentum);
}

template <class T>
void CentroidalMomentumMatrix(const Tree& tree, Scratch<T>& scratch, T* A_G) {
  ComputeCompositeInertias(tree, scratch);
  const Vec3<T> p = PlaceOfCenterOfMass(tree, scratch);
  for (int j = 0; j < tree.n; ++j) {
    // Joint j moves its subtree as one body: Ad_{T_j0}ᵀ Gᶜ_j A_j.
    const Wrench<T> own = scratch.Gc[j] * JointTwist(tree.bodies[j], T(1));
    const Wrench<T> h = ToParent(scratch.X_world[j], own);
    StoreColumn(Twist<T>{h.m - Cross(p, h.f), h.f}, tree.n, j, A_G);
  }
}

template <class T>
void CenterOfMassJacobian(const Tree& tree, const T* A_G, T* J) {
  const T inverse_mass(InverseMass(tree));
  for (int k = 0; k < 3 * tree.n; ++k)
    J[k] = A_G[3 * tree.n + k] * inverse_mass;
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

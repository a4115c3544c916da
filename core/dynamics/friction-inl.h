// Friction in a joint, the terms that are switched on: of every kind of tree.
#pragma once

#include "core/math/scalar.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// F_s times the factor that the direction of motion gives it: sgn(v), or
/// tanh(v / ε) with an ε = terms.coulomb_smoothing that is not 0.
template <class T, class Body, class Terms>
TORQUED_INLINE T CoulombFriction(const Body& body, const Terms& terms,
                                 const T& v) {
  const T F(body.coulomb_friction);
  if (terms.coulomb_smoothing == 0) return F * Sign(v);
  return F * Tanh(v / T(terms.coulomb_smoothing));
}

/// F_v v + F_s sgn(v).
template <class T, class Body, class Terms>
TORQUED_INLINE T JointFriction(const Body& body, const Terms& terms,
                               const T& v) {
  T friction(0);
  if (terms.viscous_friction) friction = T(body.viscous_friction) * v;
  if (terms.coulomb_friction) {
    friction = friction + CoulombFriction(body, terms, v);
  }
  return friction;
}

/// Its derivative with respect to v; sgn has none.
template <class T, class Body, class Terms>
TORQUED_INLINE T JointFrictionSlope(const Body& body, const Terms& terms,
                                    const T& v) {
  T slope(0);
  if (terms.viscous_friction) slope = T(body.viscous_friction);
  if (terms.coulomb_friction && terms.coulomb_smoothing != 0) {
    const T width(terms.coulomb_smoothing);
    const T t = Tanh(v / width);
    slope = slope + T(body.coulomb_friction) * (T(1) - t * t) / width;
  }
  return slope;
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

// Memory and arguments of the algorithms on a lowered tree.
#pragma once

#include "core/dynamics/base_motion.h"
#include "core/model/lowered_tree.h"
#include "core/spatial/inertia.h"
#include "core/spatial/motion.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// How a lowered frame moves, in its own axes: ω, ω̇ (component rates), the
/// acceleration a of its origin minus gravity, and B = [ω̇] + [ω]². A point x
/// fixed in the frame has the acceleration a + B x.
template <class T>
struct LinkMotion {
  Vec3<T> w, wd, a;
  Mat3<T> B;

  static TORQUED_INLINE LinkMotion Zero() {
    return {Vec3<T>::Zero(), Vec3<T>::Zero(), Vec3<T>::Zero(), Mat3<T>::Zero()};
  }
};

/// Second moments ∫ρ x xᵀ and first moments h of a body and all it carries.
template <class T>
struct CompositeMoments {
  Sym3<T> S;
  Vec3<T> h;
};

/// The articulated inertia of a body, and the wrench that acts on it.
template <class T>
struct ArticulatedBody {
  ArticulatedInertia<T> G;
  Wrench<T> p;
};

/// States of one block; n numbers each, canonical order. The sine and cosine
/// are those of q + q0 (prismatic: of q0).
template <class T>
struct LoweredState {
  const T* s;
  const T* c;
  const T* q;
  const T* v;
  const T* a;
};

/// What acts on a body from outside, in {body'}.
template <class T>
struct BodyWrench {
  int body;
  Wrench<T> W;
};

/// Terms of the equation of motion.
template <class T>
struct LoweredTerms {
  Vec3<T> gravity;            // m/s², base axes
  const BaseMotion<T>* base;  // null: at rest
  bool viscous_friction;
  bool coulomb_friction;
  /// ε, rad/s or m/s: Coulomb friction is F_s tanh(q̇ / ε). 0: F_s sgn(q̇).
  double coulomb_smoothing;
  const BodyWrench<T>* wrenches;
  int wrench_count;
};

/// Plain pointers into memory of the caller.
template <class T>
struct LoweredScratch {
  Wrench<T>* F;              // n: wrench through joint i, or U_i / d_i, in {i'}
  LinkMotion<T>* motion;     // by slot: of branching bodies
  CompositeMoments<T>* sum;  // by slot: what was gathered from the children

  // For articulated bodies.
  T* pivot;                         // n
  T* u;                             // n: force that is left, by its pivot
  ArticulatedBody<T>* articulated;  // by slot: gathered from the children
  Twist<T>* acceleration;           // by slot: of branching bodies
};

}  // namespace TORQUED_TARGET
}  // namespace torqued

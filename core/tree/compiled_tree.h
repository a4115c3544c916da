// The compiled kinematic tree: dynamically equal to a Tree, with frames and
// inertias that make the recursions cheap (see core/model/compile.h).
//
// Free of standard headers and of functions, so that units compiled for
// different instruction sets can share it.
#pragma once

#include "core/tree/tree.h"

namespace torqued {

/// The constant rotation R_T of a compiled joint.
enum class FixedRotation : unsigned char {
  kNone,     // 1: axes parallel
  kHalf,     // diag(1, −1, −1): antiparallel
  kQuarter,  // Rx(+90°): perpendicular, (x, y, z) → (x, −z, y)
  kAboutX,   // Rx(α)
  kFull,     // any rotation
};

/// The common kinds of a joint's transform to its parent, for which the
/// algorithms have code of their own: a revolute joint with axes parallel (R_T
/// = 1) or perpendicular (Rx(+90°)) and a p of which the components named here
/// are not zero.
enum class TransformKind : unsigned char {
  kOther,
  kParallel,
  kParallelX,
  kQuarter,
  kQuarterX,
  kQuarterZ,
  kQuarterXZ,
};

/// The properties on which the algorithms branch.
struct CompiledShape {
  int parent;  // λ(i) < i, or kBase
  JointMotion motion;
  FixedRotation rotation;
  TransformKind kind;
  /// Bit k: p[k] is not zero.
  unsigned char shift;
  /// Whether more than one body hangs on this one. If so, what they share is
  /// kept in slot `slot`; if not, its only child is body i + 1.
  bool branches;
  int slot;  // −1 unless `branches`
  /// Whether this is the child of a branching body with the highest number: the
  /// first that a pass towards the base comes from.
  bool last_child;
  /// The bodies that hang on this one, and itself, are [i, subtree_end).
  int subtree_end;
  /// q0 = quadrant π/2 + q0_rest modulo 2π, |q0_rest| ≤ π/4; rad.
  int quadrant;  // 0 to 3
};

/// `Number` is double or float, and there is nothing else.
template <class Number>
struct CompiledNumbers {
  Number R[9];                  // R_T, row-major, whatever the kind
  Number cos_alpha, sin_alpha;  // cos α, sin α; of all kinds but kFull
  Number p[3];                  // m, in {λ'}
  Number q0_rest;
  Number cos_q0, sin_q0;

  /// The pseudo-inertia that the body keeps, in {i'}. Revolute: S_xx S_xy S_xz
  /// S_yy S_yz (second moments ∫ρ x xᵀ) and h_x h_y; mass, S_zz and h_z are
  /// zero. Prismatic: mass and h; S is zero.
  Number S[5];
  Number h[3];
  Number mass;
  /// Kept masses of the body and of all that it carries.
  Number composite_mass;
  Number armature;
  Number viscous_friction;
  Number coulomb_friction;
};

/// Body i with the joint that carries it, in the compiled frame {i'}, which is
/// fixed on the body and has the joint's axis as its z:
///   revolute    T_{λ',i'}(q) = Trans(p) R_T Rz(q + q0)
///   prismatic   T_{λ',i'}(q) = Trans(p + R_T e_z q) R_T Rz(q0)
/// Inertias are regrouped: what does not move relative to the parent is part of
/// the parent.
template <class Number>
struct CompiledBody : CompiledShape, CompiledNumbers<Number> {};

/// The inertia that a body hands to its parent, in {i'}: mass, first moment h =
/// ∫ρ x, and I = ∫ρ (xᵀx 1 − x xᵀ), xx xy xz yy yz zz. For a revolute joint
/// S_zz, h_z and m are not zero, for a prismatic joint S.
struct HandedInertia {
  double mass;
  double h[3];
  double I[6];
};

/// A bound of a joint's scale for the lanes; see core/dynamics/pivot_check.h:
/// √s_i ≤ rest + growth t if no prismatic joint is further than t from its
/// zero.
struct ScaleBound {
  double rest;
  double growth;  // 0: nothing behind the joint slides
  bool slides;    // the joint itself
};

/// n bodies, numbered as those of the Tree it was made from: depth-first, so
/// that the first child of body i is body i + 1.
template <class Number>
struct CompiledTree {
  int n;
  bool chain;  // every body hangs on the one before it
  int slots;   // slots that are in use at one time, at most
  const CompiledBody<Number>* bodies;
  /// C_i = T_{i,i'}: the compiled frame in the body's own frame {i}.
  const BodyFrame* frames;
  /// By body; the last, of n + 1, is what the base has of all, in its own axes.
  const HandedInertia* handed;
};

}  // namespace torqued

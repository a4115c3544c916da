// The kinematic tree as the algorithms see it: plain arrays of numbers.
//
// Free of standard headers and of functions, so that units compiled for
// different instruction sets can share it.
#pragma once

namespace torqued {

/// Parent index of a body that hangs on the base.
inline constexpr int kBase = -1;

enum class JointMotion : unsigned char {
  kRevolute,   // rotation about the axis; q in rad
  kPrismatic,  // translation along the axis; q in m
};

/// Body i with the joint that carries it. Frame {i} is fixed on the body, at
/// the joint. T_{λ(i),i}(q) = (R, p) exp([A_i] q) with A_i = (axis; 0) or (0;
/// axis).
struct TreeBody {
  int parent;  // λ(i) < i, or kBase
  JointMotion motion;
  double R[9];     // row-major rotation of T_{λ(i),i} at q = 0
  double p[3];     // m, in {λ(i)}
  double axis[3];  // unit, in {i}
  double mass;     // kg; with all links fixed to the body lumped in
  double h[3];     // mass times centre of mass, kg m, in {i}
  double I[6];     // xx xy xz yy yz zz about the origin of {i}, kg m²
  double armature;
  double viscous_friction;
  double coulomb_friction;
};

/// n bodies, parents before children; body i moves with q[i] and v[i].
struct Tree {
  int n;
  const TreeBody* bodies;
};

/// A frame fixed on a body: T_{body,frame}.
struct BodyFrame {
  int body;     // or kBase
  double R[9];  // row-major
  double p[3];
};

}  // namespace torqued

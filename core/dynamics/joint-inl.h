// The types of the algorithms on a compiled tree, and their operations on a
// joint: turning vectors by R_T Rz(θ), moving them by p, and how a body moves
// with its parent.
#pragma once

#include "core/math/inertia.h"
#include "core/math/motion.h"
#include "core/math/static_for.h"
#include "core/tree/compiled_tree.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// Motion of the base against an inertial frame, in base axes at the base
/// origin. Algorithms take a pointer; null means a base at rest, at no cost.
template <class T>
struct BaseMotion {
  Twist<T> V;  // twist V_0
  Twist<T> A;  // V̇_0, rates of the components of V_0; gravity is not in it
};

/// How a compiled frame moves, in its own axes: ω, ω̇ (component rates), the
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
struct Configuration {
  const T* s;
  const T* c;
  const T* q;
  const T* v;
  const T* a;
};

/// External load of a body, in {body'}.
template <class T>
struct BodyWrench {
  int body;
  Wrench<T> W;
};

/// Terms of the equation of motion.
template <class T>
struct DynamicsTerms {
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
struct RecursionScratch {
  Wrench<T>* F;              // n: wrench through joint i, or U_i / d_i, in {i'}
  LinkMotion<T>* motion;     // by slot: of branching bodies
  CompositeMoments<T>* sum;  // by slot: what was gathered from the children

  // For articulated bodies.
  T* pivot;                         // n
  T* u;                             // n: force that is left, by its pivot
  ArticulatedBody<T>* articulated;  // by slot: gathered from the children
  Twist<T>* acceleration;           // by slot: of branching bodies
};

/// The joint that carries a body, in a state.
template <class T, class N>
struct AnyJoint {
  const CompiledBody<N>& body;
  const T &s, &c, &q;

  /// Whether q moves the body along the axis, else it turns it.
  TORQUED_INLINE bool Slides() const {
    return body.motion == JointMotion::kPrismatic;
  }
  TORQUED_INLINE FixedRotation rotation() const { return body.rotation; }
  /// Whether p has a component along the axis.
  TORQUED_INLINE bool Shifts(int axis) const {
    return (static_cast<unsigned>(body.shift) >> axis & 1u) != 0;
  }
};

/// A revolute one whose kind is known to the compiler: what is zero costs
/// nothing.
template <class T, class N, FixedRotation kRotation, unsigned kShift>
struct KnownJoint : AnyJoint<T, N> {
  static TORQUED_INLINE constexpr bool Slides() { return false; }
  static TORQUED_INLINE constexpr FixedRotation rotation() { return kRotation; }
  static TORQUED_INLINE constexpr bool Shifts(int axis) {
    return (kShift >> axis & 1u) != 0;
  }
};

template <class T, class N>
class Joints {
 public:
  TORQUED_INLINE Joints(const CompiledTree<N>& tree,
                        const Configuration<T>& state)
      : bodies_(tree.bodies), s_(state.s), c_(state.c), q_(state.q) {}

  TORQUED_INLINE AnyJoint<T, N> operator[](long i) const {
    return {bodies_[i], s_[i], c_[i], q_[i]};
  }
  /// Calls f with joint i as the compiler knows it best.
  template <class Function>
  TORQUED_INLINE void With(long i, const Function& f) const {
    constexpr unsigned kX = 1, kZ = 4;
    const AnyJoint<T, N> joint = (*this)[i];
    switch (joint.body.kind) {
      case TransformKind::kParallel:
        return f(KnownJoint<T, N, FixedRotation::kNone, 0>{joint});
      case TransformKind::kParallelX:
        return f(KnownJoint<T, N, FixedRotation::kNone, kX>{joint});
      case TransformKind::kQuarter:
        return f(KnownJoint<T, N, FixedRotation::kQuarter, 0>{joint});
      case TransformKind::kQuarterX:
        return f(KnownJoint<T, N, FixedRotation::kQuarter, kX>{joint});
      case TransformKind::kQuarterZ:
        return f(KnownJoint<T, N, FixedRotation::kQuarter, kZ>{joint});
      case TransformKind::kQuarterXZ:
        return f(KnownJoint<T, N, FixedRotation::kQuarter, (kX | kZ)>{joint});
      case TransformKind::kOther:
        return f(joint);
    }
  }

 private:
  const CompiledBody<N>* bodies_;
  const T *s_, *c_, *q_;
};

/// Calls f with whether every body hangs on the one before it, as a type.
template <class N, class Function>
TORQUED_INLINE void WithChain(const CompiledTree<N>& tree, const Function& f) {
  if (tree.chain) {
    f(Int<1>{});
  } else {
    f(Int<0>{});
  }
}

/// v ← Rx(α) v.
template <class T, class N>
TORQUED_INLINE void RotateX(N cosine, N sine, Vec3<T>& v) {
  const T c(cosine), s(sine);
  v = {v.x, Fma(c, v.y, -(s * v.z)), Fma(s, v.y, c * v.z)};
}

/// v ← R v, R row-major.
template <class T, class N>
TORQUED_INLINE void TurnByMatrix(const N* R, Vec3<T>& v) {
  v = Mat3<T>::Constant(R) * v;
}

/// v ← Rᵀ v, R row-major.
template <class T, class N>
TORQUED_INLINE void TurnByTranspose(const N* R, Vec3<T>& v) {
  v = TransposeTimes(Mat3<T>::Constant(R), v);
}

/// v ← R_T v, for each of the vectors.
template <class Joint, class... Vectors>
TORQUED_INLINE void ApplyFixedRotation(const Joint& joint,
                                       Vectors&... vectors) {
  switch (joint.rotation()) {
    case FixedRotation::kQuarter:
      return (void(vectors = {vectors.x, -vectors.z, vectors.y}), ...);
    case FixedRotation::kNone:
      return;
    case FixedRotation::kHalf:
      return (void(vectors = {vectors.x, -vectors.y, -vectors.z}), ...);
    case FixedRotation::kAboutX:
      return (RotateX(joint.body.cos_alpha, joint.body.sin_alpha, vectors),
              ...);
    case FixedRotation::kFull:
      return (TurnByMatrix(joint.body.R, vectors), ...);
  }
}

/// v ← R_Tᵀ v, for each of the vectors.
template <class Joint, class... Vectors>
TORQUED_INLINE void TurnToChild(const Joint& joint, Vectors&... vectors) {
  switch (joint.rotation()) {
    case FixedRotation::kQuarter:
      return (void(vectors = {vectors.x, vectors.z, -vectors.y}), ...);
    case FixedRotation::kNone:
      return;
    case FixedRotation::kHalf:
      return (void(vectors = {vectors.x, -vectors.y, -vectors.z}), ...);
    case FixedRotation::kAboutX:
      return (RotateX(joint.body.cos_alpha, -joint.body.sin_alpha, vectors),
              ...);
    case FixedRotation::kFull:
      return (TurnByTranspose(joint.body.R, vectors), ...);
  }
}

/// v ← Rz(θ) v.
template <class Joint, class T>
TORQUED_INLINE void RotateZ(const Joint& joint, Vec3<T>& v) {
  const T &s = joint.s, &c = joint.c;
  v = {Fma(c, v.x, -(s * v.y)), Fma(s, v.x, c * v.y), v.z};
}

/// v ← Rz(θ)ᵀ v.
template <class Joint, class T>
TORQUED_INLINE void SpinToChild(const Joint& joint, Vec3<T>& v) {
  const T &s = joint.s, &c = joint.c;
  v = {Fma(c, v.x, s * v.y), Fma(c, v.y, -(s * v.x)), v.z};
}

/// v ← R_T Rz(θ) v, for each of the vectors.
template <class Joint, class... Vectors>
TORQUED_INLINE void RotateToParent(const Joint& joint, Vectors&... vectors) {
  (RotateZ(joint, vectors), ...);
  ApplyFixedRotation(joint, vectors...);
}

/// v ← (R_T Rz(θ))ᵀ v, for each of the vectors.
template <class Joint, class... Vectors>
TORQUED_INLINE void RotateToChild(const Joint& joint, Vectors&... vectors) {
  TurnToChild(joint, vectors...);
  (SpinToChild(joint, vectors), ...);
}

/// M ← R M Rᵀ with R = R_T Rz(θ).
template <class Joint, class T>
TORQUED_INLINE void RotateBothSides(const Joint& joint, Mat3<T>& M) {
  RotateToParent(joint, M.c0, M.c1, M.c2);
  M = Transpose(M);
  RotateToParent(joint, M.c0, M.c1, M.c2);
  M = Transpose(M);
}

/// n ← n + p × f, only where p is not zero.
template <class Joint, class T>
TORQUED_INLINE void AddShiftCross(const Joint& joint, const Vec3<T>& f,
                                  Vec3<T>& n) {
  const Vec3<T> p = Vec3<T>::Constant(joint.body.p);
  if (joint.Shifts(0)) n.y -= p.x * f.z, n.z += p.x * f.y;
  if (joint.Shifts(1)) n.x += p.y * f.z, n.z -= p.y * f.x;
  if (joint.Shifts(2)) n.x -= p.z * f.y, n.y += p.z * f.x;
}

/// b ← b + B p.
template <class Joint, class T>
TORQUED_INLINE void AddShift(const Joint& joint, const Mat3<T>& B, Vec3<T>& b) {
  if (joint.Shifts(0)) b += B.c0 * T(joint.body.p[0]);
  if (joint.Shifts(1)) b += B.c1 * T(joint.body.p[1]);
  if (joint.Shifts(2)) b += B.c2 * T(joint.body.p[2]);
}

/// v ← v + Rz(θ) u.
template <class Joint, class T>
TORQUED_INLINE void AddSpun(const Joint& joint, const Vec3<T>& u, Vec3<T>& v) {
  const T &s = joint.s, &c = joint.c;
  v.x = Fma(c, u.x, Fma(-s, u.y, v.x));
  v.y = Fma(c, u.y, Fma(s, u.x, v.y));
  v.z += u.z;
}

/// A wrench on the body as its parent's frame has it.
template <class Joint, class T>
TORQUED_INLINE Wrench<T> WrenchToParent(const Joint& joint, Wrench<T> F) {
  if (joint.Slides()) {
    F.m.x -= joint.q * F.f.y;
    F.m.y += joint.q * F.f.x;
  }
  RotateToParent(joint, F.f, F.m);
  AddShiftCross(joint, F.f, F.m);
  return F;
}

/// A wrench as the parent has it + `sum`, in fewer steps that wait for each
/// other.
template <class T, class N>
TORQUED_INLINE Wrench<T> AddWrenchToParent(const AnyJoint<T, N>& joint,
                                           const Wrench<T>& F,
                                           const Wrench<T>& sum) {
  return sum + WrenchToParent(joint, F);
}
template <FixedRotation kRotation, unsigned kShift, class T, class N>
TORQUED_INLINE Wrench<T> AddWrenchToParent(
    const KnownJoint<T, N, kRotation, kShift>& joint, const Wrench<T>& F,
    Wrench<T> sum) {
  Vec3<T> f = F.f;  // in the parent's axes
  if constexpr (kShift != 0) {
    RotateToParent(joint, f);
    AddShiftCross(joint, f, sum.m);
  }
  // In the axes between the constant turn and the joint.
  TurnToChild(joint, sum.f, sum.m);
  AddSpun(joint, F.m, sum.m);
  if constexpr (kShift == 0) AddSpun(joint, F.f, sum.f);
  ApplyFixedRotation(joint, sum.f, sum.m);
  if constexpr (kShift != 0) sum.f += f;
  return sum;
}

/// A parent's twist, or acceleration, as its child has it without the joint's
/// own.
template <class Joint, class T>
TORQUED_INLINE void TwistToChild(const Joint& joint, Twist<T>& A) {
  AddShiftCross(joint, -A.w, A.v);
  TurnToChild(joint, A.w, A.v);
  if (joint.Slides()) {
    A.v.x += A.w.y * joint.q;
    A.v.y -= A.w.x * joint.q;
  }
  SpinToChild(joint, A.w);
  SpinToChild(joint, A.v);
}

/// A ← A + ad_V S q̇, S the joint's screw; of V what turns or moves across it.
template <class Joint, class T>
TORQUED_INLINE void AddScrewRate(const Joint& joint, const Twist<T>& V,
                                 const T& rate, Twist<T>& A) {
  if (!joint.Slides()) {
    A.w.x += V.w.y * rate;
    A.w.y -= V.w.x * rate;
    A.v.x += V.v.y * rate;
    A.v.y -= V.v.x * rate;
  } else {
    A.v.x += V.w.y * rate;
    A.v.y -= V.w.x * rate;
  }
}

/// V ← V + S x.
template <class Joint, class T>
TORQUED_INLINE void AddAlongJoint(const Joint& joint, const T& x, Twist<T>& V) {
  if (!joint.Slides()) {
    V.w.z += x;
  } else {
    V.v.z += x;
  }
}

/// Sᵀ F: what the joint feels of a wrench.
template <class T, class N>
TORQUED_INLINE T OfJoint(const CompiledBody<N>& body, const Wrench<T>& F) {
  if (body.motion == JointMotion::kRevolute) return F.m.z;
  return F.f.z;
}

/// Ĝ S.
template <class T, class N>
TORQUED_INLINE Wrench<T> TimesScrew(const ArticulatedInertia<T>& G,
                                    const CompiledBody<N>& body) {
  if (body.motion == JointMotion::kRevolute) {
    return {{G.A.xz, G.A.yz, G.A.zz}, {G.N.c0.z, G.N.c1.z, G.N.c2.z}};
  }
  return {G.N.c2, {G.C.xz, G.C.yz, G.C.zz}};
}

/// −ad_Sᵀ F, S the joint's screw.
template <class T, class N>
TORQUED_INLINE Wrench<T> TurnedWithJoint(const CompiledBody<N>& body,
                                         const Wrench<T>& F) {
  const Vec3<T> of_force = {-F.f.y, F.f.x, T(0)};
  if (body.motion == JointMotion::kPrismatic)
    return {of_force, Vec3<T>::Zero()};
  return {{-F.m.y, F.m.x, T(0)}, of_force};
}

/// S in any axes: z is that of the joint there, `turning` the velocity of the
/// origin when the body turns about it.
template <class T, class N>
TORQUED_INLINE Twist<T> Screw(const CompiledBody<N>& body, const Vec3<T>& z,
                              const Vec3<T>& turning) {
  if (body.motion == JointMotion::kRevolute) return {z, turning};
  return {Vec3<T>::Zero(), z};
}

/// F_s times the factor that the direction of motion gives it: sgn(v), or
/// tanh(v / ε) with an ε = terms.coulomb_smoothing that is not 0.
template <class T, class N>
TORQUED_INLINE T CoulombFriction(const CompiledBody<N>& body,
                                 const DynamicsTerms<T>& terms, const T& v) {
  const T F(body.coulomb_friction);
  if (terms.coulomb_smoothing == 0) return F * Sign(v);
  return F * Tanh(v / T(terms.coulomb_smoothing));
}

/// F_v v + F_s sgn(v).
template <class T, class N>
TORQUED_INLINE T JointFriction(const CompiledBody<N>& body,
                               const DynamicsTerms<T>& terms, const T& v) {
  T friction(0);
  if (terms.viscous_friction) friction = T(body.viscous_friction) * v;
  if (terms.coulomb_friction) {
    friction = friction + CoulombFriction(body, terms, v);
  }
  return friction;
}

/// Its derivative with respect to v; sgn has none.
template <class T, class N>
TORQUED_INLINE T JointFrictionSlope(const CompiledBody<N>& body,
                                    const DynamicsTerms<T>& terms, const T& v) {
  T slope(0);
  if (terms.viscous_friction) slope = T(body.viscous_friction);
  if (terms.coulomb_friction && terms.coulomb_smoothing != 0) {
    const T width(terms.coulomb_smoothing);
    const T t = Tanh(v / width);
    slope = slope + T(body.coulomb_friction) * (T(1) - t * t) / width;
  }
  return slope;
}

/// B = [ω̇] + [ω]².
template <class T>
TORQUED_INLINE Mat3<T> RateMatrix(const Vec3<T>& w, const Vec3<T>& wd) {
  const T xx = w.x * w.x, zz = w.z * w.z;
  return {{Fma(-w.y, w.y, -zz), Fma(w.x, w.y, wd.z), Fma(w.x, w.z, -wd.y)},
          {Fma(w.x, w.y, -wd.z), Fma(-w.x, w.x, -zz), Fma(w.y, w.z, wd.x)},
          {Fma(w.x, w.z, wd.y), Fma(w.y, w.z, -wd.x), Fma(-w.y, w.y, -xx)}};
}

/// Motion of the base.
template <class T>
TORQUED_INLINE LinkMotion<T> MotionOfBase(const BaseMotion<T>& base,
                                          const Vec3<T>& gravity) {
  const Twist<T>&V = base.V, &A = base.A;
  return {V.w, A.w, A.v + Cross(V.w, V.v) - gravity, RateMatrix(V.w, A.w)};
}

/// Motion of a root on a base at rest.
template <class T, class N>
TORQUED_INLINE LinkMotion<T> PropagateRoot(const AnyJoint<T, N>& joint,
                                           const Vec3<T>& gravity, const T& v,
                                           const T& a) {
  const T zero(0);
  Vec3<T> up = -gravity;
  RotateToChild(joint, up);
  if (joint.Slides()) {
    up.z += a;
    return {Vec3<T>::Zero(), Vec3<T>::Zero(), up, Mat3<T>::Zero()};
  }
  const T vv = -(v * v);
  return {{zero, zero, v},
          {zero, zero, a},
          up,
          {{vv, a, zero}, {-a, vv, zero}, {zero, zero, zero}}};
}

/// Motion of a body from that of its parent.
template <class Joint, class T>
TORQUED_INLINE void PropagateMotion(const Joint& joint, const T& v, const T& a,
                                    LinkMotion<T>& m) {
  // The parent's acceleration at the child's origin, a + B p.
  AddShift(joint, m.B, m.a);
  RotateToChild(joint, m.w, m.wd, m.a);
  if (!joint.Slides()) {
    m.wd.x += m.w.y * v;
    m.wd.y -= m.w.x * v;
    m.wd.z += a;
    m.w.z += v;
    m.B = RateMatrix(m.w, m.wd);
  } else {
    m.B = RateMatrix(m.w, m.wd);
    const T twice = v + v;
    m.a += m.B.c2 * joint.q;
    m.a.x += m.w.y * twice;
    m.a.y -= m.w.x * twice;
    m.a.z += a;
  }
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

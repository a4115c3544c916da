// What the algorithms do with a lowered joint: turning vectors by R_T Rz(θ) and
// moving them by p.
#pragma once

#include "core/model/lowered_tree.h"
#include "core/spatial/motion.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// The parent of body i.
template <bool kChain, class N>
TORQUED_INLINE long ParentOf(const LoweredBody<N>& body, long i) {
  if constexpr (kChain) {
    return i - 1;
  } else {
    return body.parent;
  }
}

/// A step whose kind is known to the compiler: what is zero costs nothing.
template <Turn kTurn, unsigned kShift>
struct KnownStep {
  template <class N>
  static TORQUED_INLINE constexpr bool IsRevolute(const LoweredBody<N>&) {
    return true;
  }
  template <class N>
  static TORQUED_INLINE constexpr Turn TurnOf(const LoweredBody<N>&) {
    return kTurn;
  }
  /// Whether p has a component along the axis.
  template <class N>
  static TORQUED_INLINE constexpr bool Shifts(const LoweredBody<N>&, int axis) {
    return (kShift >> axis & 1u) != 0;
  }
};

/// A step of any kind.
struct AnyStep {
  template <class N>
  static TORQUED_INLINE bool IsRevolute(const LoweredBody<N>& body) {
    return body.motion == JointMotion::kRevolute;
  }
  template <class N>
  static TORQUED_INLINE Turn TurnOf(const LoweredBody<N>& body) {
    return body.turn;
  }
  template <class N>
  static TORQUED_INLINE bool Shifts(const LoweredBody<N>& body, int axis) {
    return (static_cast<unsigned>(body.shift) >> axis & 1u) != 0;
  }
};

/// Calls f with the step of a body's joint.
template <class N, class Function>
TORQUED_INLINE void WithStep(const LoweredBody<N>& body, const Function& f) {
  constexpr unsigned kX = 1, kZ = 4;
  switch (body.step) {
    case JointStep::kParallel:
      return f(KnownStep<Turn::kNone, 0>{});
    case JointStep::kParallelX:
      return f(KnownStep<Turn::kNone, kX>{});
    case JointStep::kQuarter:
      return f(KnownStep<Turn::kQuarter, 0>{});
    case JointStep::kQuarterX:
      return f(KnownStep<Turn::kQuarter, kX>{});
    case JointStep::kQuarterZ:
      return f(KnownStep<Turn::kQuarter, kZ>{});
    case JointStep::kQuarterXZ:
      return f(KnownStep<Turn::kQuarter, (kX | kZ)>{});
    case JointStep::kOther:
      return f(AnyStep{});
  }
}

/// v ← Rx(α) v.
template <class T, class N>
TORQUED_INLINE void TurnAboutX(N cosine, N sine, Vec3<T>& v) {
  const T c(cosine), s(sine);
  v = {v.x, Fma(c, v.y, -(s * v.z)), Fma(s, v.y, c * v.z)};
}

/// v ← R v, R row-major.
template <class T, class N>
TORQUED_INLINE void TurnByMatrix(const N* R, Vec3<T>& v) {
  v = {Fma(T(R[2]), v.z, Fma(T(R[0]), v.x, T(R[1]) * v.y)),
       Fma(T(R[5]), v.z, Fma(T(R[3]), v.x, T(R[4]) * v.y)),
       Fma(T(R[8]), v.z, Fma(T(R[6]), v.x, T(R[7]) * v.y))};
}

/// v ← Rᵀ v, R row-major.
template <class T, class N>
TORQUED_INLINE void TurnByTranspose(const N* R, Vec3<T>& v) {
  v = {Fma(T(R[6]), v.z, Fma(T(R[0]), v.x, T(R[3]) * v.y)),
       Fma(T(R[7]), v.z, Fma(T(R[1]), v.x, T(R[4]) * v.y)),
       Fma(T(R[8]), v.z, Fma(T(R[2]), v.x, T(R[5]) * v.y))};
}

/// v ← R_T v, for each of the vectors.
template <class Step, class N, class... Vectors>
TORQUED_INLINE void TurnToParent(Step step, const LoweredBody<N>& body,
                                 Vectors&... vectors) {
  switch (step.TurnOf(body)) {
    case Turn::kQuarter:
      ((vectors = {vectors.x, -vectors.z, vectors.y}), ...);
      return;
    case Turn::kNone:
      return;
    case Turn::kHalf:
      ((vectors = {vectors.x, -vectors.y, -vectors.z}), ...);
      return;
    case Turn::kAboutX:
      (TurnAboutX(body.cos_turn, body.sin_turn, vectors), ...);
      return;
    case Turn::kFull:
      (TurnByMatrix(body.R, vectors), ...);
      return;
  }
}

/// v ← R_Tᵀ v, for each of the vectors.
template <class Step, class N, class... Vectors>
TORQUED_INLINE void TurnToChild(Step step, const LoweredBody<N>& body,
                                Vectors&... vectors) {
  switch (step.TurnOf(body)) {
    case Turn::kQuarter:
      ((vectors = {vectors.x, vectors.z, -vectors.y}), ...);
      return;
    case Turn::kNone:
      return;
    case Turn::kHalf:
      ((vectors = {vectors.x, -vectors.y, -vectors.z}), ...);
      return;
    case Turn::kAboutX:
      (TurnAboutX(body.cos_turn, -body.sin_turn, vectors), ...);
      return;
    case Turn::kFull:
      (TurnByTranspose(body.R, vectors), ...);
      return;
  }
}

/// Rz(θ) v.
template <class T>
TORQUED_INLINE Vec3<T> SpinToParent(const T& s, const T& c, const Vec3<T>& v) {
  return {Fma(c, v.x, -(s * v.y)), Fma(s, v.x, c * v.y), v.z};
}

/// Rz(θ)ᵀ v.
template <class T>
TORQUED_INLINE Vec3<T> SpinToChild(const T& s, const T& c, const Vec3<T>& v) {
  return {Fma(c, v.x, s * v.y), Fma(c, v.y, -(s * v.x)), v.z};
}

/// n ← n + p × f, only where p is not zero.
template <class Step, class T, class N>
TORQUED_INLINE void AddShiftCross(Step step, const LoweredBody<N>& body,
                                  const Vec3<T>& f, Vec3<T>& n) {
  if (step.Shifts(body, 0)) {
    const T p(body.p[0]);
    n.y -= p * f.z;
    n.z += p * f.y;
  }
  if (step.Shifts(body, 1)) {
    const T p(body.p[1]);
    n.x += p * f.z;
    n.z -= p * f.x;
  }
  if (step.Shifts(body, 2)) {
    const T p(body.p[2]);
    n.x -= p * f.y;
    n.y += p * f.x;
  }
}

/// b + p.x B.x + p.y B.y + p.z B.z for the columns of a matrix B.
template <class Step, class T, class N>
TORQUED_INLINE Vec3<T> AddShift(Step step, const LoweredBody<N>& body,
                                Vec3<T> b, const Vec3<T>& x, const Vec3<T>& y,
                                const Vec3<T>& z) {
  if (step.Shifts(body, 0)) b += x * T(body.p[0]);
  if (step.Shifts(body, 1)) b += y * T(body.p[1]);
  if (step.Shifts(body, 2)) b += z * T(body.p[2]);
  return b;
}

/// v += Rz(θ) u.
template <class T>
TORQUED_INLINE void AddSpun(const T& s, const T& c, const Vec3<T>& u,
                            Vec3<T>& v) {
  v.x = Fma(c, u.x, Fma(-s, u.y, v.x));
  v.y = Fma(c, u.y, Fma(s, u.x, v.y));
  v.z += u.z;
}

/// A wrench on the body as its parent's frame has it.
template <class Step, class T, class N>
TORQUED_INLINE Wrench<T> WrenchToParent(Step step, const LoweredBody<N>& body,
                                        const T& s, const T& c, const T& q,
                                        Wrench<T> F) {
  if (!step.IsRevolute(body)) {
    F.m.x -= q * F.f.y;
    F.m.y += q * F.f.x;
  }
  F.f = SpinToParent(s, c, F.f);
  F.m = SpinToParent(s, c, F.m);
  TurnToParent(step, body, F.f, F.m);
  AddShiftCross(step, body, F.f, F.m);
  return F;
}

/// A parent's twist, or acceleration, as its child has it without the joint's
/// own.
template <class Step, class T, class N>
TORQUED_INLINE void TwistToChild(Step step, const LoweredBody<N>& body,
                                 const T& s, const T& c, const T& q,
                                 Twist<T>& A) {
  AddShiftCross(step, body, -A.w, A.v);
  TurnToChild(step, body, A.w, A.v);
  if (!step.IsRevolute(body)) {
    A.v.x += A.w.y * q;
    A.v.y -= A.w.x * q;
  }
  A.w = SpinToChild(s, c, A.w);
  A.v = SpinToChild(s, c, A.v);
}

/// A ← A + ad_V S q̇, S the joint's screw; of V what turns or moves across it.
template <class Step, class T, class N>
TORQUED_INLINE void AddScrewRate(Step step, const LoweredBody<N>& body,
                                 const Twist<T>& V, const T& rate,
                                 Twist<T>& A) {
  if (step.IsRevolute(body)) {
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
template <class Step, class T, class N>
TORQUED_INLINE void AddAlongJoint(Step step, const LoweredBody<N>& body,
                                  const T& x, Twist<T>& V) {
  (step.IsRevolute(body) ? V.w : V.v).z += x;
}

/// A wrench as the parent has it + `sum`, in fewer steps that wait for each
/// other.
template <class T, class N>
TORQUED_INLINE Wrench<T> AddWrenchToParent(AnyStep step,
                                           const LoweredBody<N>& body,
                                           const T& s, const T& c, const T& q,
                                           const Wrench<T>& F,
                                           const Wrench<T>& sum) {
  return sum + WrenchToParent(step, body, s, c, q, F);
}
template <Turn kTurn, unsigned kShift, class T, class N>
TORQUED_INLINE Wrench<T> AddWrenchToParent(KnownStep<kTurn, kShift> step,
                                           const LoweredBody<N>& body,
                                           const T& s, const T& c,
                                           const T& /*q*/, const Wrench<T>& F,
                                           Wrench<T> sum) {
  Vec3<T> f;  // of F, in the parent's axes
  if constexpr (kShift != 0) {
    f = SpinToParent(s, c, F.f);
    TurnToParent(step, body, f);
    AddShiftCross(step, body, f, sum.m);
  }
  // In the axes between the constant turn and the joint.
  TurnToChild(step, body, sum.f, sum.m);
  AddSpun(s, c, F.m, sum.m);
  if constexpr (kShift == 0) AddSpun(s, c, F.f, sum.f);
  TurnToParent(step, body, sum.f, sum.m);
  if constexpr (kShift != 0) sum.f += f;
  return sum;
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

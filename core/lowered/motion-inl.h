// How the bodies of a lowered tree move, from the base outwards.
#pragma once

#include "core/lowered/joint-inl.h"
#include "core/lowered/scratch.h"

namespace torqued {
inline namespace TORQUED_TARGET {

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
TORQUED_INLINE LinkMotion<T> MoveRoot(const LoweredBody<N>& body,
                                      const Vec3<T>& gravity, const T& s,
                                      const T& c, const T& v, const T& a) {
  const T zero(0);
  Vec3<T> up = -gravity;
  TurnToChild(AnyStep{}, body, up);
  up = SpinToChild(s, c, up);
  if (body.motion == JointMotion::kPrismatic) {
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
template <class Step, class T, class N>
TORQUED_INLINE void MoveChild(Step step, const LoweredBody<N>& body, const T& s,
                              const T& c, const T& q, const T& v, const T& a,
                              LinkMotion<T>& m) {
  // The parent's acceleration at the child's origin, a + B p.
  m.a = AddShift(step, body, m.a, m.B.c0, m.B.c1, m.B.c2);
  TurnToChild(step, body, m.w, m.wd, m.a);
  m.w = SpinToChild(s, c, m.w);
  m.wd = SpinToChild(s, c, m.wd);
  m.a = SpinToChild(s, c, m.a);
  if (step.IsRevolute(body)) {
    m.wd.x += m.w.y * v;
    m.wd.y -= m.w.x * v;
    m.wd.z += a;
    m.w.z += v;
    m.B = RateMatrix(m.w, m.wd);
  } else {
    m.B = RateMatrix(m.w, m.wd);
    const T twice = v + v;
    m.a += m.B.c2 * q;
    m.a.x += m.w.y * twice;
    m.a.y -= m.w.x * twice;
    m.a.z += a;
  }
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

// The inertia of a body of the compiled tree: all that its joint moves relative
// to the parent. The rest is handed to the parent. Both depend on the kind of
// the joint (see CompiledNumbers).
#pragma once

#include "core/dynamics/joint-inl.h"

namespace torqued {
inline namespace TORQUED_TARGET {

template <class T, class N>
TORQUED_INLINE CompositeMoments<T> OwnMoments(const CompiledBody<N>& body) {
  return {{T(body.S[0]), T(body.S[1]), T(body.S[2]), T(body.S[3]), T(body.S[4]),
           T(0)},
          Vec3<T>::Constant(body.h)};
}

/// G V of what the body keeps.
template <class T, class N>
TORQUED_INLINE Wrench<T> OwnMomentum(const CompiledBody<N>& body,
                                     const Twist<T>& V) {
  const Vec3<T>&w = V.w, &v = V.v;
  if (body.motion == JointMotion::kPrismatic) {
    const Vec3<T> h = Vec3<T>::Constant(body.h);
    return {Cross(h, v), v * T(body.mass) + Cross(w, h)};
  }
  const T xx(body.S[0]), xy(body.S[1]), xz(body.S[2]), yy(body.S[3]),
      yz(body.S[4]), trace(body.S[0] + body.S[3]);
  const T hx(body.h[0]), hy(body.h[1]);
  return {{Fma(yy, w.x, -(xy * w.y)) - xz * w.z + hy * v.z,
           Fma(xx, w.y, -(xy * w.x)) - yz * w.z - hx * v.z,
           Fma(trace, w.z, -(xz * w.x)) - yz * w.y + hx * v.y - hy * v.x},
          {-(hy * w.z), hx * w.z, Fma(hy, w.x, -(hx * w.y))}};
}

/// The part of its inertia that the body keeps: A = tr(S) 1 − S, N = [h], C = m
/// 1.
template <class T, class N>
TORQUED_INLINE ArticulatedInertia<T> OwnInertia(const CompiledBody<N>& body) {
  return {{T(body.S[3]), T(-body.S[1]), T(-body.S[2]), T(body.S[0]),
           T(-body.S[4]), T(body.S[0] + body.S[3])},
          Skew(Vec3<T>::Constant(body.h)),
          Sym3<T>::Scaled(T(body.mass))};
}

/// The wrench that the body's own kept inertia needs, f = (B, a) Σ.
template <class Joint, class T>
TORQUED_INLINE Wrench<T> InertialWrench(const Joint& joint,
                                        const LinkMotion<T>& m) {
  const auto& body = joint.body;
  const Mat3<T>& B = m.B;
  const Vec3<T>& a = m.a;
  const T hx(body.h[0]), hy(body.h[1]);
  if (joint.Slides()) {
    const T hz(body.h[2]);
    return {{Fma(a.z, hy, -(a.y * hz)), Fma(a.x, hz, -(a.z * hx)),
             Fma(a.y, hx, -(a.x * hy))},
            Fma(a, T(body.mass), B.c0 * hx) + B.c1 * hy + B.c2 * hz};
  }
  const T xx(body.S[0]), xy(body.S[1]), xz(body.S[2]), yy(body.S[3]),
      yz(body.S[4]);
  // B.c<column>.<row>
  return {{Fma(a.z, hy, B.c0.z * xy) + B.c1.z * yy - B.c0.y * xz +
               (B.c2.z - B.c1.y) * yz,
           Fma(B.c0.x - B.c2.z, xz, B.c1.x * yz) - a.z * hx - B.c0.z * xx -
               B.c1.z * xy,
           Fma(a.y, hx, -(a.x * hy)) + B.c0.y * xx + (B.c1.y - B.c0.x) * xy +
               B.c2.y * xz - B.c1.x * yy - B.c2.x * yz},
          Fma(B.c0, hx, B.c1 * hy)};
}

/// For a root on a base at rest, whose joint feels one component of it alone.
template <class T, class N>
TORQUED_INLINE Wrench<T> InertialWrenchOfRoot(const CompiledBody<N>& body,
                                              const T& acceleration,
                                              const LinkMotion<T>& m) {
  Wrench<T> F = Wrench<T>::Zero();
  if (body.motion == JointMotion::kRevolute) {
    F.m.z = acceleration * T(body.S[0] + body.S[3]) + m.a.y * T(body.h[0]) -
            m.a.x * T(body.h[1]);
  } else {
    F.f.z = m.a.z * T(body.mass);
  }
  return F;
}

/// The wrench that the inertia that body i hands to its parent needs when it
/// moves so.
template <class T, class N>
TORQUED_INLINE Wrench<T> HandedWrench(const CompiledBody<N>& body,
                                      const HandedInertia& inertia,
                                      const LinkMotion<T>& m) {
  if (body.motion == JointMotion::kPrismatic) {
    const Sym3<T> I = Sym3<T>::Constant(inertia.I);
    return {I * m.wd + Cross(m.w, I * m.w), Vec3<T>::Zero()};
  }
  const T hz(inertia.h[2]);
  const Vec3<T> column = Fma(m.B.c2, T(inertia.I[0]), m.a * hz);
  return {{-column.y, column.x, T(0)}, Fma(m.B.c2, hz, m.a * T(inertia.mass))};
}

/// The wrench in {i'} that a unit acceleration of joint i needs, of all that it
/// carries.
template <class T, class N>
TORQUED_INLINE Wrench<T> UnitWrench(const CompiledBody<N>& body,
                                    const CompositeMoments<T>& sum,
                                    const T& mass) {
  const T zero(0);
  const Vec3<T>& h = sum.h;
  if (body.motion == JointMotion::kRevolute) {
    return {{-sum.S.xz, -sum.S.yz, sum.S.xx + sum.S.yy}, {-h.y, h.x, zero}};
  }
  return {{h.y, -h.x, zero}, {zero, zero, mass}};
}

/// The rate of what a body and all that it carries are, in axes that do not
/// move, when its joint moves at unit rate; without mass.
template <class T, class N>
TORQUED_INLINE CompositeMoments<T> RateAlongJoint(
    const CompiledBody<N>& body, const CompositeMoments<T>& sum) {
  const Sym3<T>& S = sum.S;
  const Vec3<T>& h = sum.h;
  const T zero(0);
  if (body.motion == JointMotion::kPrismatic) {
    // v hᵀ + h vᵀ and m v
    return {{zero, zero, h.x, zero, h.y, h.z + h.z},
            {zero, zero, T(body.composite_mass)}};
  }
  // [ω] S + S [ω]ᵀ and ω × h
  return {{-(S.xy + S.xy), S.xx - S.yy, -S.yz, S.xy + S.xy, S.xz, zero},
          {-h.y, h.x, zero}};
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

// Spatial inertias of rigid and of articulated bodies (Featherstone 2008,
// sections 2.13 and 7.1).
#pragma once

#include "core/math/motion.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// G = [[I, [h]], [[h]ᵀ, m 1]] at a frame's origin: mass m, first moment
/// h = m c (c: centre of mass), I = I_c + m [c][c]ᵀ about the origin.
template <class T>
struct SpatialInertia {
  T mass;
  Vec3<T> h;
  Sym3<T> I;

  TORQUED_INLINE SpatialInertia& operator+=(const SpatialInertia& b) {
    mass += b.mass;
    h += b.h;
    I += b.I;
    return *this;
  }
};

/// G V = (I ω + h × v; m v − h × ω).
template <class T>
TORQUED_INLINE Wrench<T> operator*(const SpatialInertia<T>& g,
                                   const Twist<T>& v) {
  return {g.I * v.w + Cross(g.h, v.v), v.v * g.mass - Cross(g.h, v.w)};
}

/// G_a = Ad_{T_ba}ᵀ G_b Ad_{T_ba}.
template <class T>
TORQUED_INLINE SpatialInertia<T> ToParent(const Transform<T>& ab,
                                          const SpatialInertia<T>& b) {
  // With h' = R h: h_a = h' + m p and
  // I_a = R I Rᵀ − ([h'][p] + [p][h']) − m [p][p], where
  // −([h'][p] + [p][h']) = 2 (h'·p) 1 − h' pᵀ − p h'ᵀ.
  const Vec3<T> hr = ab.R * b.h;
  const Vec3<T> s = hr + ab.p * (b.mass * T(0.5));
  const Vec3<T>& p = ab.p;
  Sym3<T> I = Congruence(ab.R, b.I);
  const T xx = s.x * p.x, yy = s.y * p.y, zz = s.z * p.z;
  I.xx += T(2) * (yy + zz);
  I.yy += T(2) * (xx + zz);
  I.zz += T(2) * (xx + yy);
  I.xy -= Fma(s.x, p.y, s.y * p.x);
  I.xz -= Fma(s.x, p.z, s.z * p.x);
  I.yz -= Fma(s.y, p.z, s.z * p.y);
  return {b.mass, hr + ab.p * b.mass, I};
}

/// Ĝ = [[A, N], [Nᵀ, C]], a symmetric 6 x 6 that maps accelerations to
/// wrenches.
template <class T>
struct ArticulatedInertia {
  Sym3<T> A;
  Mat3<T> N;
  Sym3<T> C;

  static TORQUED_INLINE ArticulatedInertia From(const SpatialInertia<T>& g) {
    return {g.I, Skew(g.h), Sym3<T>::Scaled(g.mass)};
  }
  TORQUED_INLINE ArticulatedInertia& operator+=(const ArticulatedInertia& b) {
    A += b.A;
    N = N + b.N;
    C += b.C;
    return *this;
  }
};

/// Ĝ V.
template <class T>
TORQUED_INLINE Wrench<T> operator*(const ArticulatedInertia<T>& g,
                                   const Twist<T>& v) {
  return {g.A * v.w + g.N * v.v, TransposeTimes(g.N, v.w) + g.C * v.v};
}

/// Ĝ − U Uᵀ s.
template <class T>
TORQUED_INLINE ArticulatedInertia<T> Downdate(const ArticulatedInertia<T>& g,
                                              const Wrench<T>& u, const T& s) {
  return {g.A - Outer(u.m, s), g.N - Outer(u.m, u.f * s), g.C - Outer(u.f, s)};
}

/// Ĝ_a = Ad_{T_ba}ᵀ Ĝ_b Ad_{T_ba}: turned by R, then shifted by p with
/// N' = N + [p] C and A' = A + [p] Nᵀ − N' [p].
template <class T>
TORQUED_INLINE ArticulatedInertia<T> ToParent(const Transform<T>& ab,
                                              const ArticulatedInertia<T>& b) {
  const Sym3<T> A = Congruence(ab.R, b.A);
  const Mat3<T> N = (ab.R * b.N) * Transpose(ab.R);
  const Sym3<T> C = Congruence(ab.R, b.C);
  const Mat3<T> Np = N + Cross(ab.p, C.Full());
  const Mat3<T> dA = Cross(ab.p, Transpose(N)) - Cross(Np, ab.p);
  return {A + Sym3<T>::Upper(dA), Np, C};
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

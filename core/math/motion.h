// Poses, twists and wrenches (dynamics sheet: Lynch & Park 2017, chapter 3).
// Spatial vectors are (angular; linear).
#pragma once

#include "core/math/vec3.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// T_ab: the pose of frame b in frame a, x_a = R x_b + p.
template <class T>
struct Transform {
  Mat3<T> R;
  Vec3<T> p;
};

/// T_ac = T_ab T_bc.
template <class T>
TORQUED_INLINE Transform<T> operator*(const Transform<T>& ab,
                                      const Transform<T>& bc) {
  return {ab.R * bc.R, ab.R * bc.p + ab.p};
}

/// V = (ω; v), components in one frame, v at that frame's origin.
template <class T>
struct Twist {
  Vec3<T> w, v;

  static TORQUED_INLINE Twist Zero() {
    return {Vec3<T>::Zero(), Vec3<T>::Zero()};
  }
  TORQUED_INLINE Twist& operator+=(const Twist& b) {
    w += b.w, v += b.v;
    return *this;
  }
};

template <class T>
TORQUED_INLINE Twist<T> operator+(const Twist<T>& a, const Twist<T>& b) {
  return {a.w + b.w, a.v + b.v};
}
template <class T>
TORQUED_INLINE Twist<T> operator*(const Twist<T>& a, const T& s) {
  return {a.w * s, a.v * s};
}

/// F = (m; f): moment about the frame's origin, and force.
template <class T>
struct Wrench {
  Vec3<T> m, f;

  static TORQUED_INLINE Wrench Zero() {
    return {Vec3<T>::Zero(), Vec3<T>::Zero()};
  }
  TORQUED_INLINE Wrench& operator+=(const Wrench& b) {
    m += b.m, f += b.f;
    return *this;
  }
};

template <class T>
TORQUED_INLINE Wrench<T> operator+(const Wrench<T>& a, const Wrench<T>& b) {
  return {a.m + b.m, a.f + b.f};
}
template <class T>
TORQUED_INLINE Wrench<T> operator-(const Wrench<T>& a, const Wrench<T>& b) {
  return {a.m - b.m, a.f - b.f};
}
template <class T>
TORQUED_INLINE Wrench<T> operator*(const Wrench<T>& a, const T& s) {
  return {a.m * s, a.f * s};
}

/// Power Fᵀ V; both in the same frame.
template <class T>
TORQUED_INLINE T Dot(const Wrench<T>& f, const Twist<T>& v) {
  return Dot(f.m, v.w) + Dot(f.f, v.v);
}

/// V_a = Ad_{T_ab} V_b = (R ω; p × R ω + R v).
template <class T>
TORQUED_INLINE Twist<T> ToParent(const Transform<T>& ab, const Twist<T>& b) {
  const Vec3<T> w = ab.R * b.w;
  return {w, ab.R * b.v + Cross(ab.p, w)};
}
/// F_a = Ad_{T_ba}ᵀ F_b = (R m + p × R f; R f).
template <class T>
TORQUED_INLINE Wrench<T> ToParent(const Transform<T>& ab, const Wrench<T>& b) {
  const Vec3<T> f = ab.R * b.f;
  return {ab.R * b.m + Cross(ab.p, f), f};
}

/// Lie bracket ad_{V1} V2 = (ω1 × ω2; v1 × ω2 + ω1 × v2).
template <class T>
TORQUED_INLINE Twist<T> Bracket(const Twist<T>& v1, const Twist<T>& v2) {
  return {Cross(v1.w, v2.w), Cross(v1.v, v2.w) + Cross(v1.w, v2.v)};
}
/// −ad_Vᵀ F = (ω × m + v × f; ω × f).
template <class T>
TORQUED_INLINE Wrench<T> MinusAdTranspose(const Twist<T>& v,
                                          const Wrench<T>& f) {
  return {Cross(v.w, f.m) + Cross(v.v, f.f), Cross(v.w, f.f)};
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

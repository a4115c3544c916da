// Vectors of three and symmetric or general 3 x 3 matrices over a scalar.
#pragma once

#include "core/math/target.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// a b + c; packs of lanes round once where their target can.
template <class T>
TORQUED_INLINE T Fma(const T& a, const T& b, const T& c) {
  return a * b + c;
}

template <class T>
struct Vec3 {
  T x, y, z;

  static TORQUED_INLINE Vec3 Zero() { return {T(0), T(0), T(0)}; }
  /// From three numbers of the model, the same in every lane.
  template <class N>
  static TORQUED_INLINE Vec3 Constant(const N* xyz) {
    return {T(xyz[0]), T(xyz[1]), T(xyz[2])};
  }
  /// Component 0, 1 or 2.
  TORQUED_INLINE T& operator[](int axis) {
    return axis == 0 ? x : axis == 1 ? y : z;
  }

  TORQUED_INLINE Vec3& operator+=(const Vec3& b) {
    x += b.x, y += b.y, z += b.z;
    return *this;
  }
  TORQUED_INLINE Vec3& operator-=(const Vec3& b) {
    x -= b.x, y -= b.y, z -= b.z;
    return *this;
  }
};

template <class T>
TORQUED_INLINE Vec3<T> operator+(const Vec3<T>& a, const Vec3<T>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class T>
TORQUED_INLINE Vec3<T> operator-(const Vec3<T>& a, const Vec3<T>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class T>
TORQUED_INLINE Vec3<T> operator-(const Vec3<T>& a) {
  return {-a.x, -a.y, -a.z};
}
template <class T>
TORQUED_INLINE Vec3<T> operator*(const Vec3<T>& a, const T& s) {
  return {a.x * s, a.y * s, a.z * s};
}
/// a s + b.
template <class T>
TORQUED_INLINE Vec3<T> Fma(const Vec3<T>& a, const T& s, const Vec3<T>& b) {
  return {Fma(a.x, s, b.x), Fma(a.y, s, b.y), Fma(a.z, s, b.z)};
}
template <class T>
TORQUED_INLINE T Dot(const Vec3<T>& a, const Vec3<T>& b) {
  return Fma(a.z, b.z, Fma(a.x, b.x, a.y * b.y));
}
template <class T>
TORQUED_INLINE Vec3<T> Cross(const Vec3<T>& a, const Vec3<T>& b) {
  return {Fma(a.y, b.z, -(a.z * b.y)), Fma(a.z, b.x, -(a.x * b.z)),
          Fma(a.x, b.y, -(a.y * b.x))};
}

/// A general 3 x 3 matrix, by columns.
template <class T>
struct Mat3 {
  Vec3<T> c0, c1, c2;

  static TORQUED_INLINE Mat3 Zero() {
    return {Vec3<T>::Zero(), Vec3<T>::Zero(), Vec3<T>::Zero()};
  }
  static TORQUED_INLINE Mat3 Identity() {
    return {{T(1), T(0), T(0)}, {T(0), T(1), T(0)}, {T(0), T(0), T(1)}};
  }
  /// From nine numbers of the model, row-major.
  template <class N>
  static TORQUED_INLINE Mat3 Constant(const N* m) {
    return {{T(m[0]), T(m[3]), T(m[6])},
            {T(m[1]), T(m[4]), T(m[7])},
            {T(m[2]), T(m[5]), T(m[8])}};
  }
  TORQUED_INLINE T& operator()(int row, int column) {
    return (column == 0 ? c0 : column == 1 ? c1 : c2)[row];
  }
};

template <class T>
TORQUED_INLINE Mat3<T> operator+(const Mat3<T>& a, const Mat3<T>& b) {
  return {a.c0 + b.c0, a.c1 + b.c1, a.c2 + b.c2};
}
template <class T>
TORQUED_INLINE Mat3<T> operator-(const Mat3<T>& a, const Mat3<T>& b) {
  return {a.c0 - b.c0, a.c1 - b.c1, a.c2 - b.c2};
}
template <class T>
TORQUED_INLINE Mat3<T> Transpose(const Mat3<T>& a) {
  return {{a.c0.x, a.c1.x, a.c2.x},
          {a.c0.y, a.c1.y, a.c2.y},
          {a.c0.z, a.c1.z, a.c2.z}};
}
template <class T>
TORQUED_INLINE Vec3<T> operator*(const Mat3<T>& a, const Vec3<T>& v) {
  return {Fma(a.c2.x, v.z, Fma(a.c0.x, v.x, a.c1.x * v.y)),
          Fma(a.c2.y, v.z, Fma(a.c0.y, v.x, a.c1.y * v.y)),
          Fma(a.c2.z, v.z, Fma(a.c0.z, v.x, a.c1.z * v.y))};
}
/// aᵀ v.
template <class T>
TORQUED_INLINE Vec3<T> TransposeTimes(const Mat3<T>& a, const Vec3<T>& v) {
  return {Dot(a.c0, v), Dot(a.c1, v), Dot(a.c2, v)};
}
template <class T>
TORQUED_INLINE Mat3<T> operator*(const Mat3<T>& a, const Mat3<T>& b) {
  return {a * b.c0, a * b.c1, a * b.c2};
}
/// The matrix [p] M, with [p] x = p × x.
template <class T>
TORQUED_INLINE Mat3<T> Cross(const Vec3<T>& p, const Mat3<T>& m) {
  return {Cross(p, m.c0), Cross(p, m.c1), Cross(p, m.c2)};
}
/// The matrix M [p].
template <class T>
TORQUED_INLINE Mat3<T> Cross(const Mat3<T>& m, const Vec3<T>& p) {
  // Column j of M [p] is M (p × e_j).
  return {Fma(m.c1, p.z, -(m.c2 * p.y)), Fma(m.c2, p.x, -(m.c0 * p.z)),
          Fma(m.c0, p.y, -(m.c1 * p.x))};
}
/// The skew matrix [p].
template <class T>
TORQUED_INLINE Mat3<T> Skew(const Vec3<T>& p) {
  return {{T(0), p.z, -p.y}, {-p.z, T(0), p.x}, {p.y, -p.x, T(0)}};
}

/// A symmetric 3 x 3 matrix.
template <class T>
struct Sym3 {
  T xx, xy, xz, yy, yz, zz;

  static TORQUED_INLINE Sym3 Zero() {
    return {T(0), T(0), T(0), T(0), T(0), T(0)};
  }
  /// From six numbers of the model: xx, xy, xz, yy, yz, zz.
  static TORQUED_INLINE Sym3 Constant(const double* m) {
    return {T(m[0]), T(m[1]), T(m[2]), T(m[3]), T(m[4]), T(m[5])};
  }
  /// s times the unit matrix.
  static TORQUED_INLINE Sym3 Scaled(const T& s) {
    return {s, T(0), T(0), s, T(0), s};
  }
  /// The symmetric matrix with the upper triangle of m.
  static TORQUED_INLINE Sym3 Upper(const Mat3<T>& m) {
    return {m.c0.x, m.c1.x, m.c2.x, m.c1.y, m.c2.y, m.c2.z};
  }
  TORQUED_INLINE T& operator()(int i, int j) {
    if (i == 0 || j == 0) return i + j == 0 ? xx : i + j == 1 ? xy : xz;
    return i + j == 2 ? yy : i + j == 3 ? yz : zz;
  }
  TORQUED_INLINE Mat3<T> Full() const {
    return {{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}};
  }

  TORQUED_INLINE Sym3& operator+=(const Sym3& b) {
    xx += b.xx, xy += b.xy, xz += b.xz, yy += b.yy, yz += b.yz, zz += b.zz;
    return *this;
  }
  TORQUED_INLINE Sym3& operator-=(const Sym3& b) {
    xx -= b.xx, xy -= b.xy, xz -= b.xz, yy -= b.yy, yz -= b.yz, zz -= b.zz;
    return *this;
  }
};

template <class T>
TORQUED_INLINE Sym3<T> operator+(Sym3<T> a, const Sym3<T>& b) {
  return a += b;
}
template <class T>
TORQUED_INLINE Sym3<T> operator-(Sym3<T> a, const Sym3<T>& b) {
  return a -= b;
}
template <class T>
TORQUED_INLINE Vec3<T> operator*(const Sym3<T>& a, const Vec3<T>& v) {
  return {Fma(a.xz, v.z, Fma(a.xx, v.x, a.xy * v.y)),
          Fma(a.yz, v.z, Fma(a.xy, v.x, a.yy * v.y)),
          Fma(a.zz, v.z, Fma(a.xz, v.x, a.yz * v.y))};
}
/// The symmetric matrix v vᵀ s.
template <class T>
TORQUED_INLINE Sym3<T> Outer(const Vec3<T>& v, const T& s) {
  const Vec3<T> w = v * s;
  return {v.x * w.x, v.x * w.y, v.x * w.z, v.y * w.y, v.y * w.z, v.z * w.z};
}
/// The matrix a bᵀ.
template <class T>
TORQUED_INLINE Mat3<T> Outer(const Vec3<T>& a, const Vec3<T>& b) {
  return {a * b.x, a * b.y, a * b.z};
}
/// R S Rᵀ.
template <class T>
TORQUED_INLINE Sym3<T> Congruence(const Mat3<T>& r, const Sym3<T>& s) {
  return Sym3<T>::Upper((r * s.Full()) * Transpose(r));
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

// What the algorithms do with a lowered joint: turning vectors by R_T Rz(θ).
#pragma once

#include "core/model/lowered_tree.h"
#include "core/spatial/motion.h"

namespace torqued {
inline namespace TORQUED_TARGET {

/// v ← Rx(α) v.
template <class T, class N>
TORQUED_INLINE void TurnAboutX(N cosine, N sine, Vec3<T>& v) {
  const T c(cosine), s(sine);
  v = {v.x, c * v.y - s * v.z, s * v.y + c * v.z};
}

/// v ← R v, R row-major.
template <class T, class N>
TORQUED_INLINE void TurnByMatrix(const N* R, Vec3<T>& v) {
  v = {T(R[0]) * v.x + T(R[1]) * v.y + T(R[2]) * v.z,
       T(R[3]) * v.x + T(R[4]) * v.y + T(R[5]) * v.z,
       T(R[6]) * v.x + T(R[7]) * v.y + T(R[8]) * v.z};
}

/// v ← Rᵀ v, R row-major.
template <class T, class N>
TORQUED_INLINE void TurnByTranspose(const N* R, Vec3<T>& v) {
  v = {T(R[0]) * v.x + T(R[3]) * v.y + T(R[6]) * v.z,
       T(R[1]) * v.x + T(R[4]) * v.y + T(R[7]) * v.z,
       T(R[2]) * v.x + T(R[5]) * v.y + T(R[8]) * v.z};
}

/// v ← R_T v, for each of the vectors.
template <class N, class... Vectors>
TORQUED_INLINE void TurnToParent(const LoweredBody<N>& body,
                                 Vectors&... vectors) {
  switch (body.turn) {
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
template <class N, class... Vectors>
TORQUED_INLINE void TurnToChild(const LoweredBody<N>& body,
                                Vectors&... vectors) {
  switch (body.turn) {
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
  return {c * v.x - s * v.y, s * v.x + c * v.y, v.z};
}

/// Rz(θ)ᵀ v.
template <class T>
TORQUED_INLINE Vec3<T> SpinToChild(const T& s, const T& c, const Vec3<T>& v) {
  return {c * v.x + s * v.y, c * v.y - s * v.x, v.z};
}

/// n + p × f, only where p is not zero.
template <class T, class N>
TORQUED_INLINE Vec3<T> AddShiftCross(const LoweredBody<N>& body, Vec3<T> n,
                                     const Vec3<T>& f) {
  if (body.shift & 1u) {
    const T p(body.p[0]);
    n.y -= p * f.z;
    n.z += p * f.y;
  }
  if (body.shift & 2u) {
    const T p(body.p[1]);
    n.x += p * f.z;
    n.z -= p * f.x;
  }
  if (body.shift & 4u) {
    const T p(body.p[2]);
    n.x -= p * f.y;
    n.y += p * f.x;
  }
  return n;
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

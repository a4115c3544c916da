// Spatial vectors as rows of numbers, (angular; linear).
#pragma once

#include "core/spatial/motion.h"

namespace torqued {
inline namespace TORQUED_TARGET {

template <class T>
TORQUED_INLINE void Store(const Vec3<T>& a, T* numbers) {
  numbers[0] = a.x, numbers[1] = a.y, numbers[2] = a.z;
}
template <class T>
TORQUED_INLINE void Store(const Twist<T>& V, T* numbers) {
  Store(V.w, numbers);
  Store(V.v, numbers + 3);
}
template <class T>
TORQUED_INLINE void Store(const Wrench<T>& F, T* numbers) {
  Store(F.m, numbers);
  Store(F.f, numbers + 3);
}
/// As column j of a row-major matrix of 6 x n.
template <class T>
TORQUED_INLINE void StoreColumn(const Twist<T>& V, int n, int j, T* matrix) {
  matrix[0 * n + j] = V.w.x;
  matrix[1 * n + j] = V.w.y;
  matrix[2 * n + j] = V.w.z;
  matrix[3 * n + j] = V.v.x;
  matrix[4 * n + j] = V.v.y;
  matrix[5 * n + j] = V.v.z;
}

}  // namespace TORQUED_TARGET
}  // namespace torqued

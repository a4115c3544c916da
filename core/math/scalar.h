// The few functions of a scalar that the kernels use. A scalar is
// double, float, or a pack of lanes with one state each; a pack brings
// overloads of these functions in its own header.
#pragma once

#include "core/math/target.h"

namespace torqued {
inline namespace TORQUED_TARGET {

TORQUED_INLINE double Sqrt(double x) { return __builtin_sqrt(x); }
TORQUED_INLINE float Sqrt(float x) { return __builtin_sqrtf(x); }

/// The second where one is NaN.
TORQUED_INLINE double Min(double a, double b) { return a < b ? a : b; }
TORQUED_INLINE double Max(double a, double b) { return a > b ? a : b; }

/// a b + c; packs of lanes round once where their target can.
template <class T>
TORQUED_INLINE T Fma(const T& a, const T& b, const T& c) {
  return a * b + c;
}

TORQUED_INLINE void SinCos(double x, double& sine, double& cosine) {
  sine = __builtin_sin(x);
  cosine = __builtin_cos(x);
}
TORQUED_INLINE void SinCos(float x, float& sine, float& cosine) {
  sine = __builtin_sinf(x);
  cosine = __builtin_cosf(x);
}

/// sgn(x) with sgn(0) = 0.
TORQUED_INLINE double Sign(double x) { return double(x > 0) - double(x < 0); }
TORQUED_INLINE float Sign(float x) { return float(x > 0) - float(x < 0); }

TORQUED_INLINE double Tanh(double x) { return __builtin_tanh(x); }
TORQUED_INLINE float Tanh(float x) { return __builtin_tanhf(x); }

}  // namespace TORQUED_TARGET
}  // namespace torqued

// What the lanes decide by themselves; the rest is left to the general text.
#pragma once

#include "core/spatial/target.h"

namespace torqued {
inline namespace TORQUED_TARGET {

template <class N>
struct Trust;
template <>
struct Trust<double> {
  /// A pivot of the mass matrix is weak below this share of its scale.
  static constexpr double kWeakPivot = 1e-4;
  /// Least product of what weak pivots are of that.
  static constexpr double kPivots = 1e-5;
  static constexpr double kMostPerScale = 1e300;
  /// Least eigenvalue, at unit diagonal, of what has pivots beyond round-off.
  static constexpr double kBound = 1e-9;
};
template <>
struct Trust<float> {
  static constexpr double kWeakPivot = 1e-3;
  static constexpr float kPivots = 0.1F;
  static constexpr double kMostPerScale = 1e30;
  static constexpr float kBound = 5e-5F;
};

}  // namespace TORQUED_TARGET
}  // namespace torqued

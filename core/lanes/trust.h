// What the lanes decide by themselves; the rest is left to the general text.
#pragma once

#include "core/spatial/target.h"

namespace torqued {
inline namespace TORQUED_TARGET {

template <class N>
struct Trust;
template <>
struct Trust<double> {
  /// Least share of its diagonal that a pivot of the mass matrix may be.
  static constexpr double kPivot = 1e-9;
  /// Least eigenvalue, at unit diagonal, of what has pivots beyond round-off.
  static constexpr double kBound = 1e-9;
  /// Least share of the largest articulated pivot that another may be.
  static constexpr double kArticulatedPivot = 1e-8;
};
template <>
struct Trust<float> {
  static constexpr float kPivot = 1e-4F;
  static constexpr float kBound = 5e-5F;
  static constexpr float kArticulatedPivot = 1e-4F;
};

}  // namespace TORQUED_TARGET
}  // namespace torqued

// What the lanes decide by themselves; DecideRow the rest.
#pragma once

#include "core/math/target.h"

namespace torqued {
inline namespace TORQUED_TARGET {

template <class N>
struct CertificateThresholds;
template <>
struct CertificateThresholds<double> {
  /// Least 1 / trace H⁻¹ of a mass matrix that is divided by the scales of its
  /// joints. The rule calls it lost at 1e-13 or so.
  static constexpr double kEigenvalue = 1e-11;
  /// Of articulated bodies, see MassCertificate.
  static constexpr double kWeakPivot = 1e-2;
  static constexpr double kWeakProduct = 1e-7;
  /// Reciprocals of scales above this are out of range.
  static constexpr double kMostPerScale = 1e300;
  /// Least eigenvalue, at unit diagonal, of what has pivots beyond round-off.
  static constexpr double kBound = 1e-9;
};
template <>
struct CertificateThresholds<float> {
  static constexpr float kEigenvalue = 1e-5F;
  static constexpr double kWeakPivot = 1e-2;
  static constexpr float kWeakProduct = 0.01F;
  static constexpr double kMostPerScale = 1e30;
  static constexpr float kBound = 5e-5F;
};

}  // namespace TORQUED_TARGET
}  // namespace torqued

// The planar arm of examples/robots/planar_2r.urdf in closed form (Lynch & Park
// 2017, section 8.1.1): point masses at the ends of two links, gravity along
// −y.
#pragma once

#include <Eigen/Core>
#include <cmath>

namespace torqued::testing_support::planar_2r {

inline constexpr double kL1 = 0.5, kL2 = 0.4, kM1 = 2, kM2 = 1.5, kG = 9.81;

using Eigen::Matrix2d;
using Eigen::Vector2d;

inline Vector2d Position1(const Vector2d& q) {
  return kL1 * Vector2d(std::cos(q[0]), std::sin(q[0]));
}
inline Vector2d Position2(const Vector2d& q) {
  return Position1(q) +
         kL2 * Vector2d(std::cos(q[0] + q[1]), std::sin(q[0] + q[1]));
}
inline Vector2d Velocity1(const Vector2d& q, const Vector2d& v) {
  return kL1 * v[0] * Vector2d(-std::sin(q[0]), std::cos(q[0]));
}
inline Vector2d Velocity2(const Vector2d& q, const Vector2d& v) {
  return Velocity1(q, v) +
         kL2 * (v[0] + v[1]) *
             Vector2d(-std::sin(q[0] + q[1]), std::cos(q[0] + q[1]));
}

inline double Kinetic1(const Vector2d& v) {
  return 0.5 * kM1 * kL1 * kL1 * v[0] * v[0];
}
inline double Kinetic2(const Vector2d& q, const Vector2d& v) {
  const double c2 = std::cos(q[1]);
  return 0.5 * kM2 *
         ((kL1 * kL1 + 2 * kL1 * kL2 * c2 + kL2 * kL2) * v[0] * v[0] +
          2 * (kL2 * kL2 + kL1 * kL2 * c2) * v[0] * v[1] +
          kL2 * kL2 * v[1] * v[1]);
}
inline double Potential1(const Vector2d& q) {
  return kM1 * kG * kL1 * std::sin(q[0]);
}
inline double Potential2(const Vector2d& q) {
  return kM2 * kG * (kL1 * std::sin(q[0]) + kL2 * std::sin(q[0] + q[1]));
}
inline double Energy(const Vector2d& q, const Vector2d& v) {
  return Kinetic1(v) + Kinetic2(q, v) + Potential1(q) + Potential2(q);
}

inline Matrix2d MassMatrix(const Vector2d& q) {
  const double c2 = std::cos(q[1]);
  const double coupled = kM2 * (kL1 * kL2 * c2 + kL2 * kL2);
  Matrix2d M;
  M << (kM1 + kM2) * kL1 * kL1 + kM2 * (2 * kL1 * kL2 * c2 + kL2 * kL2),
      coupled, coupled, kM2 * kL2 * kL2;
  return M;
}
inline Vector2d Bias(const Vector2d& q, const Vector2d& v) {
  const double s2 = std::sin(q[1]), c12 = std::cos(q[0] + q[1]);
  const double pull = kM2 * kL1 * kL2 * s2;
  return {-pull * (2 * v[0] * v[1] + v[1] * v[1]) +
              (kM1 + kM2) * kG * kL1 * std::cos(q[0]) + kM2 * kG * kL2 * c12,
          pull * v[0] * v[0] + kM2 * kG * kL2 * c12};
}
inline Vector2d Torques(const Vector2d& q, const Vector2d& v,
                        const Vector2d& a) {
  return MassMatrix(q) * a + Bias(q, v);
}

}  // namespace torqued::testing_support::planar_2r

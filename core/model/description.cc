#include "core/model/description.h"

#include <cmath>

namespace torqued {

Pose Pose::FromXyzRpy(const std::array<double, 3>& xyz,
                      const std::array<double, 3>& rpy) {
  const double cr = std::cos(rpy[0]), sr = std::sin(rpy[0]);
  const double cp = std::cos(rpy[1]), sp = std::sin(rpy[1]);
  const double cy = std::cos(rpy[2]), sy = std::sin(rpy[2]);
  Pose pose;
  pose.R = {cy * cp,
            cy * sp * sr - sy * cr,
            cy * sp * cr + sy * sr,
            sy * cp,
            sy * sp * sr + cy * cr,
            sy * sp * cr - cy * sr,
            -sp,
            cp * sr,
            cp * cr};
  for (double& r : pose.R) r += 0.0;  // no negative zeros
  pose.p = xyz;
  return pose;
}

Pose operator*(const Pose& ab, const Pose& bc) {
  Pose ac;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      ac.R[3 * i + j] = ab.R[3 * i] * bc.R[j] + ab.R[3 * i + 1] * bc.R[3 + j] +
                        ab.R[3 * i + 2] * bc.R[6 + j];
    }
    ac.p[i] = ab.R[3 * i] * bc.p[0] + ab.R[3 * i + 1] * bc.p[1] +
              ab.R[3 * i + 2] * bc.p[2] + ab.p[i];
  }
  return ac;
}

}  // namespace torqued

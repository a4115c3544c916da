// Arms by products of exponentials, stated in matrices.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "core/formats/screw_axes.h"
#include "core/math/screws.h"

namespace torqued::testing_support {

struct ScrewArm {
  std::string name = "arm";
  std::vector<Eigen::Matrix4d> home;
  std::vector<Vector6d> screws;
  std::vector<Matrix6d> inertias;
};

inline LoadResult LoadScrewArm(const ScrewArm& arm) {
  ScrewAxes axes{.name = arm.name};
  for (const Eigen::Matrix4d& T : arm.home) {
    Pose& pose = axes.home.emplace_back();
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) pose.R[3 * r + c] = T(r, c);
      pose.p[r] = T(r, 3);
    }
  }
  for (const Vector6d& S : arm.screws) {
    std::ranges::copy(S, axes.screws.emplace_back().begin());
  }
  for (const Matrix6d& G : arm.inertias) {
    for (auto& rows = axes.inertias.emplace_back(); double& number : rows) {
      const auto k = &number - rows.data();
      number = G(k / 6, k % 6);
    }
  }
  return LoadScrewAxes(axes);
}

}  // namespace torqued::testing_support

// Arms by products of exponentials, stated in matrices.
#pragma once

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
    using Rows = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
    Eigen::Map<Rows>(pose.R.data()) = T.topLeftCorner<3, 3>();
    Eigen::Map<Eigen::Vector3d>(pose.p.data()) = T.topRightCorner<3, 1>();
  }
  for (const Vector6d& S : arm.screws) {
    Eigen::Map<Vector6d>(axes.screws.emplace_back().data()) = S;
  }
  for (const Matrix6d& G : arm.inertias) {
    Eigen::Map<Matrix6d>(axes.inertias.emplace_back().data()) = G.transpose();
  }
  return LoadScrewAxes(axes);
}

}  // namespace torqued::testing_support

#include "tests/core/model/lowered_placements.h"

#include <algorithm>

#include "tests/core/model/matrix_dynamics.h"

namespace torqued {
namespace {

using Eigen::Isometry3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

using RowMajor3d = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

// All offsets and travels together, m.
double Size(const TestTree& tree, const VectorXd& q) {
  double size = q.cwiseAbs().sum();
  for (const TreeBody& body : tree.bodies) {
    size += Eigen::Map<const Vector3d>(body.p).norm();
  }
  return size;
}

}  // namespace

Isometry3d Pose(const BodyFrame& frame) {
  Isometry3d pose = Isometry3d::Identity();
  pose.linear() = Eigen::Map<const RowMajor3d>(frame.R);
  pose.translation() = Eigen::Map<const Vector3d>(frame.p);
  return pose;
}

double PlacementError(const TestTree& tree, const LoweredModel& lowered,
                      const VectorXd& q, const VectorXd& q_lowered) {
  const auto expected = MatrixDynamics(tree.tree()).Poses(q);
  const auto actual = MatrixDynamics(lowered.f64()).Poses(q_lowered);
  const double size = Size(tree, q);
  double error = 0;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const Isometry3d pose = expected[i] * Pose(lowered.f64().frames[i]);
    const double turned =
        (actual[i].linear() - pose.linear()).cwiseAbs().maxCoeff();
    const double moved = (actual[i].translation() - pose.translation()).norm();
    error = std::max({error, turned, moved / size});
  }
  return error;
}

}  // namespace torqued

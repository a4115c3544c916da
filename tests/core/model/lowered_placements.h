// Where a lowered tree puts its frames.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

#include "core/model/lowering.h"
#include "tests/core/model/test_trees.h"

namespace torqued {

Eigen::Isometry3d Pose(const BodyFrame& frame);

/// The largest difference of T_{0,i}(q) C_i and T_{0,i'}(q_lowered), lengths in
/// units of the robot's size.
double PlacementError(const TestTree& tree, const LoweredModel& lowered,
                      const Eigen::VectorXd& q,
                      const Eigen::VectorXd& q_lowered);

}  // namespace torqued

// Checks of whole trajectories.
#pragma once

#include <cstdint>
#include <vector>

#include "torqued/client/cpp/states.h"
#include "torqued/v1/trajectory.pb.h"

namespace torqued::client {

/// Samples of a motion, one a row. Columns are joints in the model's canonical
/// order unless CheckTrajectoryStart.options.joint_names says otherwise.
struct TrajectorySamples {
  std::vector<double> time;  // s, strictly increasing
  Batch q = {};              // rad or m
  /// rad/s or m/s, rad/s^2 or m/s^2. Both may be empty if the start says how
  /// they are derived.
  Batch v = {};
  Batch a = {};
  /// 6 columns (moment; force), a row a sample, or one for all: what the tip
  /// exerts on the environment. Empty: nothing.
  Batch tip_wrench_on_environment = {};
};

/// The verdict, and of the tables of torqued.v1.TrajectoryRows those that
/// CheckTrajectoryStart.tables names, one row a sample.
struct TrajectoryCheck {
  v1::TrajectoryVerdict verdict;
#define TORQUED_TRAJECTORY_TABLE(name) Batch name;
#include "torqued/v1/tables.inc"
};

}  // namespace torqued::client

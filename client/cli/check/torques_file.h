// The torques of a trajectory as a file.
#pragma once

#include <set>
#include <string>

#include "client/cli/check/checked_trajectory.h"
#include "client/cli/formats/container.h"

namespace torqued::cli {

/// The tables that the file needs beside the samples, for Checker::Check.
std::set<v1::TrajectoryTable> TablesForTorques(bool derived);

/// CSV: "time", then "<joint>.tau". NPY: torques alone. NPZ: arrays time, q, v,
/// a, tau and joint_names, and tip_wrench where the file had one. JSON:
/// the trajectory_msgs/JointTrajectory with the torques as its effort. `name`
/// stands in the DataError thrown where the message cannot hold the times.
std::string TorquesBytes(const CheckedTrajectory& checked, Container container,
                         const std::string& name);

}  // namespace torqued::cli

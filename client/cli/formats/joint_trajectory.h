// Trajectories as ROS knows them: trajectory_msgs/JointTrajectory as text.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "client/cli/formats/container.h"

namespace torqued::cli {

/// Levels of the text; goals within goals have fewer.
constexpr int kTrajectoryDepth = 16;

/// Of the message, alone or within a "goal", a "trajectory" or a
/// "joint_trajectory", one in the other: of `tables` those that the points
/// have; at others nobody looks. Times are {sec, nanosec} of ROS 2, {secs,
/// nsecs} of ROS 1 or plain seconds. Throws DataError naming `name` if
/// something is missing, has another size or is no number, with the place:
/// "points[3].velocities[1]".
StateBlocks ReadJointTrajectory(const nlohmann::ordered_json& document,
                                const Suffixes& tables,
                                const std::string& name);

/// JSON, as of ROS 2. Times are rounded to nanoseconds, as the message has
/// them; all other numbers read back to the same doubles, and none may be
/// infinite or not a number. Throws DataError naming `name` for times that the
/// message cannot hold, or that are the same once they are rounded.
std::string JointTrajectoryJson(const StateBlocks& trajectory,
                                const std::string& name);

}  // namespace torqued::cli

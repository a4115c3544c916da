// Trajectories as ROS knows them: trajectory_msgs/JointTrajectory as text.
#pragma once

#include <string>
#include <string_view>

#include "client/cli/formats/state_blocks.h"

namespace torqued::cli {

/// YAML or JSON, the message itself or within a "goal", a "trajectory" or a
/// "joint_trajectory", one in the other: of `tables` those that the points
/// have; at others nobody looks. Times are {sec, nanosec} of ROS 2, {secs,
/// nsecs} of ROS 1 or plain seconds. YAML may end as `ros2 topic echo` and
/// `rostopic echo` end it, with "---". Throws DataError naming `name` if
/// something is missing, has another size or is no number, with the place:
/// "points[3].velocities[1]".
StateBlocks ParseJointTrajectoryYaml(std::string_view text,
                                     const Suffixes& tables,
                                     const std::string& name);
StateBlocks ParseJointTrajectoryJson(std::string_view text,
                                     const Suffixes& tables,
                                     const std::string& name);

/// JSON, as of ROS 2. Times are rounded to nanoseconds, as the message has
/// them; all other numbers read back to the same doubles, and none may be
/// infinite or not a number. Throws DataError naming `name` for times that the
/// message cannot hold, or that are the same once they are rounded.
std::string JointTrajectoryJson(const StateBlocks& trajectory,
                                const std::string& name);

}  // namespace torqued::cli

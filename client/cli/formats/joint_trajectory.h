// Trajectories as ROS knows them: trajectory_msgs/JointTrajectory as text.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/cpp/states.h"

namespace torqued::cli {

/// One point a row; columns are the joints in their order. What no point has is
/// empty.
struct JointTrajectory {
  std::vector<std::string> joint_names;
  std::vector<double> time;  // s, from the start
  client::Batch positions;
  client::Batch velocities;
  client::Batch accelerations;
  client::Batch effort;
  /// Fields with numbers that were not to be read.
  std::vector<std::string> unused = {};
};

/// YAML or JSON, the message itself or within a "goal", a "trajectory" or a
/// "joint_trajectory", one in the other: of `fields` ("positions", ...) those
/// that the points have; at others nobody looks. Times are {sec,
/// nanosec} of ROS 2, {secs, nsecs} of ROS 1 or plain seconds. YAML may end as
/// `ros2 topic echo` and `rostopic echo` end it, with "---"; a second message
/// is an error, and so are aliases. `name` stands in the DataError thrown where
/// something is missing, has another size or is no number, with the place:
/// "points[3].velocities[1]".
JointTrajectory ParseJointTrajectoryYaml(
    std::string_view text, std::span<const std::string_view> fields,
    const std::string& name);
JointTrajectory ParseJointTrajectoryJson(
    std::string_view text, std::span<const std::string_view> fields,
    const std::string& name);

/// JSON, as of ROS 2. Times are rounded to nanoseconds, as the message has
/// them; all other numbers read back to the same doubles, and none may be
/// infinite or not a number. Throws DataError naming `name` for times that the
/// message cannot hold, or that are the same once they are rounded.
std::string JointTrajectoryJson(const JointTrajectory& trajectory,
                                const std::string& name);

}  // namespace torqued::cli

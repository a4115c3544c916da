// Limits and drives of joints from a file.
#pragma once

#include <filesystem>
#include <string_view>

#include "torqued/v1/trajectory.pb.h"

namespace torqued::cli {

/// A JSON object with a member for each joint:
///   {"elbow_joint": {"lower": -3, "upper": 3, "velocity": 2, "effort": 120,
///                    "torque_at_speed": [[0, 120], [2, 80]],
///                    "viscous_friction": 1, "coulomb_friction": 2,
///                    "armature": 0.1}}
/// all of them optional. Throws DataError for anything else, also for members
/// that it does not know, and for a joint_limits.yaml of MoveIt, with what to
/// write instead; whether the model has the joints is for the server to
/// say.
void ParseLimits(std::string_view text, const std::string& name,
                 v1::CheckTrajectoryStart* start);

void ReadLimits(const std::filesystem::path& path,
                v1::CheckTrajectoryStart* start);

}  // namespace torqued::cli

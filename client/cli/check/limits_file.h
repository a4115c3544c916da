// Limits, drives and wrenches over time from files.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "torqued/v1/trajectory.pb.h"

namespace torqued::cli {

/// `drives` and `position_limits` of the start in their JSON form:
///   {"drives": [{"dof": "elbow_joint", "velocity_limit": 2}],
///    "position_limits": [{"coordinate": "elbow_joint", "lower": -3}]}
/// Throws DataError for anything else. The server checks names and numbers.
void ParseLimits(std::string_view text, const std::string& name,
                 v1::CheckTrajectoryStart* start);
void ReadLimits(const std::filesystem::path& path,
                v1::CheckTrajectoryStart* start);

/// `tip_wrench_profile` of the start: CSV with the columns time, mx, my, mz,
/// fx, fy, fz in any order, or CSV without names or NPY with these 7 in this
/// order. Throws DataError.
void ReadWrenchProfile(const std::filesystem::path& path,
                       v1::CheckTrajectoryStart* start);

}  // namespace torqued::cli

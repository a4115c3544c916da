// The pictures of the report on a trajectory.
#pragma once

#include <string>

#include "client/cli/check/checked_trajectory.h"

namespace torqued::cli {

// SVG each. The tables tau and torque_limit are there, v too where the rates
// were derived, and sigma_min and condition for those of the task. Stretches of
// violations that the verdict lists are shaded.

/// Torque over time between its limits, with violations of all kinds.
std::string TorqueOverTimePlot(const CheckedTrajectory& checked, int joint);
/// Torque against velocity within what the drive gives at any speed, up to the
/// velocity limit or, where that is larger, the speed that is reached; samples
/// outside stand out.
std::string TorqueOverSpeedPlot(const CheckedTrajectory& checked, int joint);
/// Position and velocity over time between their limits.
std::string PositionPlot(const CheckedTrajectory& checked, int joint);
std::string VelocityPlot(const CheckedTrajectory& checked, int joint);

/// Power of all joints together over time.
std::string PowerPlot(const CheckedTrajectory& checked);
std::string SigmaMinPlot(const CheckedTrajectory& checked);
std::string ConditionPlot(const CheckedTrajectory& checked);

}  // namespace torqued::cli

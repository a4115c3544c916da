// The pictures of the report on a trajectory.
#pragma once

#include <string>

#include "client/cli/check/checked_trajectory.h"

namespace torqued::cli {

// SVG each. The tables tau and torque_limit are there, v too where the rates
// were derived, and sigma_min and condition for those of the task.

/// Torque over time between its limits; stretches of violations are shaded.
std::string TorqueOverTimePlot(const CheckedTrajectory& checked, int joint);
/// Torque against velocity within what the drive gives; samples outside stand
/// out.
std::string TorqueOverSpeedPlot(const CheckedTrajectory& checked, int joint);
std::string SigmaMinPlot(const CheckedTrajectory& checked);
std::string ConditionPlot(const CheckedTrajectory& checked);

}  // namespace torqued::cli

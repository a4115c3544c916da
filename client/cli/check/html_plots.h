// The pictures on the page of a trajectory, with their headings.
#pragma once

#include <string>

#include "client/cli/check/checked_trajectory.h"

namespace torqued::cli {

/// A card for each joint, one for the power, and one for the task where it was
/// looked at. Positions and velocities stay folded where they keep their
/// limits. There is at least one joint.
std::string HtmlPlots(const CheckedTrajectory& checked);

}  // namespace torqued::cli

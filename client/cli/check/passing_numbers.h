// The payload and the pace that pass, as numbers alone, for tables.
#pragma once

#include <limits>
#include <string>

#include "torqued/v1/trajectory.pb.h"

namespace torqued::cli {

/// Of no payload, which is less than an empty hand. A slow-down that no pace
/// mends is infinite.
inline constexpr double kNoPayload = -std::numeric_limits<double>::infinity();

/// "4.2", of any load "any", of kNoPayload "none". Rounded to what passes.
std::string LargestPayloadText(double kilograms);
/// "1.25", of an infinite one "at no pace". Rounded to what passes.
std::string SlowDownFactorText(double factor);

/// Whether a position is outside its limits, as it is at any pace.
bool LeavesPositions(const v1::TrajectoryVerdict& verdict);
/// By what the trajectory must be slowed down to pass; infinite: it passes at
/// no pace.
double SlowDownThatPasses(const v1::TrajectoryVerdict& verdict);

}  // namespace torqued::cli

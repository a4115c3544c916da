// The sentences of a verdict: every client shows these.
#pragma once

#include <span>
#include <string>

#include "torqued/v1/trajectory.pb.h"

namespace torqued::server {

/// Fills in every `message`, `judged` and `energy_message` of a verdict that
/// has all its other fields.
void PutIntoWords(v1::TrajectoryVerdict* verdict);

/// Fills in `asked_words` of a verdict that has joints, start and echo.
/// `wrenches`: six numbers a sample, or none.
void PutAskedIntoWords(std::span<const double> wrenches,
                       std::span<const std::string> model_joints,
                       v1::TrajectoryVerdict* verdict);

}  // namespace torqued::server

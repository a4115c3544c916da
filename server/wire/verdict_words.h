// The sentences of a verdict: every client shows these.
#pragma once

#include "torqued/v1/trajectory.pb.h"

namespace torqued::server {

/// Fills in every `message`, `judged` and `energy_message` of a verdict that
/// has all its other fields.
void PutIntoWords(v1::TrajectoryVerdict* verdict);

}  // namespace torqued::server

// What a drive gives over the whole range of speeds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "torqued/v1/trajectory.pb.h"

namespace torqued::cli {

/// Corners, with straight lines between them; speeds increase from 0 and are of
/// either sign. Empty: the drive has no limit.
struct TorqueEnvelope {
  std::vector<double> speed;   // rad/s or m/s
  std::vector<double> torque;  // N m or N, at least 0
};

/// As a check with `asked` limits the joint, up to `highest_speed`.
/// `model_effort` is the limit that the model has, absent: none.
TorqueEnvelope EnvelopeOf(const v1::CheckTrajectoryStart& asked,
                          const std::string& joint,
                          std::optional<double> model_effort,
                          double highest_speed);

}  // namespace torqued::cli

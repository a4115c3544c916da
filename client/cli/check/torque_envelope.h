// What a drive gives over the whole range of speeds.
#pragma once

#include <vector>

#include "torqued/v1/trajectory.pb.h"

namespace torqued::cli {

/// Corners, with straight lines between them; speeds increase from 0 and are of
/// either sign. Empty: the drive has no limit.
struct TorqueEnvelope {
  std::vector<double> speed;   // rad/s or m/s
  std::vector<double> torque;  // N m or N, at least 0
};

/// As the joint was limited, from rest to `highest_speed`.
TorqueEnvelope EnvelopeOf(const v1::JointDemand& demand, double highest_speed);

/// What of it is at most `highest_torque`, in pieces by rising speed; each ends
/// where the envelope crosses that torque. None where all is above.
std::vector<TorqueEnvelope> PiecesUpTo(double highest_torque,
                                       const TorqueEnvelope& envelope);

}  // namespace torqued::cli

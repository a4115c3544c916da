#include "client/cli/check/torque_envelope.h"

namespace torqued::cli {
namespace {

/// Constant before the first corner and behind the last.
double TorqueAt(const TorqueEnvelope& corners, double speed) {
  const auto& [speeds, torques] = corners;
  if (speed <= speeds.front()) return torques.front();
  for (std::size_t k = 1; k < speeds.size(); ++k) {
    if (speed > speeds[k]) continue;
    const double share = (speed - speeds[k - 1]) / (speeds[k] - speeds[k - 1]);
    return torques[k - 1] + share * (torques[k] - torques[k - 1]);
  }
  return torques.back();
}

}  // namespace

TorqueEnvelope EnvelopeOf(const v1::JointDemand& demand, double highest_speed) {
  if (!demand.has_torque_limit()) return {};
  TorqueEnvelope corners;
  corners.speed.assign(demand.torque_limit_speeds().begin(),
                       demand.torque_limit_speeds().end());
  corners.torque.assign(demand.torque_limit_torques().begin(),
                        demand.torque_limit_torques().end());
  if (corners.speed.empty() || corners.speed.size() != corners.torque.size()) {
    corners = {{0}, {demand.torque_limit()}};
  }
  TorqueEnvelope envelope{{0}, {TorqueAt(corners, 0)}};
  for (std::size_t k = 0; k < corners.speed.size(); ++k) {
    if (corners.speed[k] > 0 && corners.speed[k] < highest_speed) {
      envelope.speed.push_back(corners.speed[k]);
      envelope.torque.push_back(corners.torque[k]);
    }
  }
  envelope.speed.push_back(highest_speed);
  envelope.torque.push_back(TorqueAt(corners, highest_speed));
  return envelope;
}

std::vector<TorqueEnvelope> PiecesUpTo(double highest_torque,
                                       const TorqueEnvelope& envelope) {
  const auto& [speed, torque] = envelope;
  std::vector<TorqueEnvelope> pieces;
  bool open = false;
  for (std::size_t k = 0; k < speed.size(); ++k) {
    const bool below = torque[k] <= highest_torque;
    const bool crosses = k > 0 && below != (torque[k - 1] <= highest_torque);
    if (below && !open) pieces.emplace_back();
    if (crosses) {
      const double share =
          (highest_torque - torque[k - 1]) / (torque[k] - torque[k - 1]);
      pieces.back().speed.push_back(speed[k - 1] +
                                    share * (speed[k] - speed[k - 1]));
      pieces.back().torque.push_back(highest_torque);
    }
    if (below) {
      pieces.back().speed.push_back(speed[k]);
      pieces.back().torque.push_back(torque[k]);
    }
    open = below;
  }
  return pieces;
}

}  // namespace torqued::cli

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

}  // namespace torqued::cli

#include "client/cli/check/torque_envelope.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace torqued::cli {
namespace {

using Corner = std::pair<double, double>;  // speed, torque

/// Constant before the first point and behind the last.
double Between(const std::vector<Corner>& curve, double speed) {
  if (speed <= curve.front().first) return curve.front().second;
  for (std::size_t k = 1; k < curve.size(); ++k) {
    const auto& [v0, t0] = curve[k - 1];
    const auto& [v1, t1] = curve[k];
    if (speed <= v1) return t0 + (speed - v0) / (v1 - v0) * (t1 - t0);
  }
  return curve.back().second;
}

/// Where it passes through `torque`.
std::vector<double> CrossingsOf(const std::vector<Corner>& curve,
                                double torque) {
  std::vector<double> speeds;
  for (std::size_t k = 1; k < curve.size(); ++k) {
    const auto& [v0, t0] = curve[k - 1];
    const auto& [v1, t1] = curve[k];
    if ((t0 > torque) != (t1 > torque)) {
      speeds.push_back(v0 + (torque - t0) / (t1 - t0) * (v1 - v0));
    }
  }
  return speeds;
}

}  // namespace

TorqueEnvelope EnvelopeOf(const v1::CheckTrajectoryStart& asked,
                          const std::string& joint,
                          std::optional<double> model_effort,
                          double highest_speed) {
  std::optional<double> effort = model_effort;
  std::vector<Corner> curve;
  for (const v1::JointBounds& bounds : asked.bounds()) {
    if (bounds.joint() != joint) continue;
    if (bounds.has_effort()) effort = bounds.effort();
    for (int k = 0; k < bounds.speeds_size(); ++k) {
      curve.emplace_back(bounds.speeds(k), bounds.torques(k));
    }
  }
  if (curve.empty()) {
    if (!effort) return {};
    curve.emplace_back(0, *effort);
  }
  const double top = effort.value_or(std::numeric_limits<double>::infinity());

  std::vector<double> speeds = CrossingsOf(curve, top);
  for (const Corner& corner : curve) speeds.push_back(corner.first);
  std::erase_if(speeds, [highest_speed](double speed) {
    return !(speed > 0 && speed < highest_speed);
  });
  speeds.push_back(0);
  speeds.push_back(highest_speed);
  std::sort(speeds.begin(), speeds.end());

  const double derating = asked.has_derating() ? asked.derating() : 1;
  TorqueEnvelope envelope;
  for (const double speed : speeds) {
    envelope.speed.push_back(speed);
    envelope.torque.push_back(derating * std::min(Between(curve, speed), top));
  }
  return envelope;
}

}  // namespace torqued::cli

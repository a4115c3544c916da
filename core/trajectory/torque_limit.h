// What a drive can give.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace torqued {

struct TorqueAtSpeed {
  double speed = 0;   // rad/s or m/s, at least 0
  double torque = 0;  // N m or N, at least 0
};

/// The largest magnitude of a joint's torque, which may fall with its speed:
/// the smaller of a constant and of a curve with straight pieces, which goes on
/// as it begins and ends.
class TorqueLimit {
 public:
  static constexpr double kNone = std::numeric_limits<double>::infinity();

  TorqueLimit() = default;
  /// `curve`: speeds increase; empty: none. All that is given is multiplied by
  /// `derating`. See Problem.
  TorqueLimit(std::optional<double> effort,
              const std::vector<TorqueAtSpeed>& curve, double derating);

  /// Of either sign of the speed.
  double At(double speed) const;

  bool present() const { return !points_.empty(); }
  /// Where its pieces meet, by speed; straight lines between them, constant
  /// beyond.
  const std::vector<TorqueAtSpeed>& points() const { return points_; }

 private:
  std::vector<TorqueAtSpeed> points_;
};

/// What is wrong with such a curve, a sentence; nothing: it can be used.
std::optional<std::string> ProblemOf(const std::vector<TorqueAtSpeed>& curve);

}  // namespace torqued

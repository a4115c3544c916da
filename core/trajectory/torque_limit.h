// What a drive can give, and how far rounding moves torques.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/batch/evaluation_plan.h"

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
  /// `derating`. See Validate.
  TorqueLimit(std::optional<double> effort,
              const std::vector<TorqueAtSpeed>& curve, double derating);

  /// The speed may have either sign.
  double At(double speed) const;

  bool present() const { return !points_.empty(); }
  /// Where its pieces meet, by speed; straight lines between them, constant
  /// beyond.
  const std::vector<TorqueAtSpeed>& points() const { return points_; }

 private:
  std::vector<TorqueAtSpeed> points_;
};

/// The problem of such a curve as a sentence, if any.
std::optional<std::string> Validate(const std::vector<TorqueAtSpeed>& curve);

/// A bound on the sizes of the terms that torques are sums of. Where these
/// cancel, as about a vertical axis, a torque that should be 0 is not, by some
/// multiples of the terms' last digits.
class TorqueTerms {
 public:
  /// One state, columns in the caller's order. `wrench`: empty, or 6 numbers.
  struct State {
    std::span<const double> q, v, a, wrench;
  };

  /// Of a plan for torques, with the payload it carries; `load_reach`: how far
  /// another payload's centre of mass is from its frame, m.
  TorqueTerms(const EvaluationPlan& plan, double load_reach);

  /// For each joint, N m or N:
  ///   force  = m (g + t + 2 w s) + |f|
  ///   moment = r force + I (w² + w') + |n|
  /// where m is all the mass that moves, r the robot's reach (its offsets and
  /// slides put end to end), s and t speed and acceleration at its end with all
  /// joints in line, w and w' those of the angles, I the traces of all inertias
  /// and (n; f) the tip's wrench.
  void Bound(const State& state, std::span<double> bounds) const;

  /// Torques that differ by no more than this, times the terms and the torques
  /// themselves, are equal: the last digit of the precision computed in. The
  /// largest error seen with random robots is 0.05 of it.
  double precision() const { return precision_; }

 private:
  std::vector<bool> slides_;  // by column
  double gravity_ = 0;        // m/s²
  double mass_ = 0;           // kg
  double inertia_ = 0;        // kg m²
  double reach_ = 0;          // m, slides at 0
  double precision_ = 0;
};

}  // namespace torqued

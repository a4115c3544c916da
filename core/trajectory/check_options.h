// The options of a check, checked, and the plans that follow from them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/trajectory/trajectory_check.h"

namespace torqued {

/// A joint with the limits and the friction that count. Infinite: no limit.
struct CheckedJoint {
  std::string name;
  double lower = 0;
  double upper = 0;
  double velocity = 0;
  TorqueLimit torque;
  double viscous_friction = 0;  // 0 where the terms leave it out
  double coulomb_friction = 0;
  double coulomb_smoothing = 0;

  /// F_s sgn(v), or F_s tanh(v / ε).
  double CoulombFriction(double v) const;
};

struct CheckSetup {
  std::vector<CheckedJoint> joints;  // in the caller's order
  TaskOptions task;

  EvaluationPlan torques;  // all terms
  EvaluationPlan still;    // gravity and wrenches
  EvaluationPlan push;     // M v, of v in the place of the accelerations
  /// As `torques`, without the payload of the options, or with a payload of
  /// load_mass where they have none.
  std::optional<EvaluationPlan> other_load;
  bool load_is_carried = false;  // by `torques`
  double load_mass = 1;          // kg
  /// Mobility and σ_min, where they are wanted.
  std::optional<EvaluationPlan> space;
};

std::variant<CheckSetup, ArgumentError> MakeCheckSetup(
    std::shared_ptr<const Model> model, const TrajectoryOptions& options);

/// What is wrong with the samples; nothing: they can be checked.
std::optional<ArgumentError> ProblemOf(const Trajectory& trajectory,
                                       const CheckSetup& setup);

}  // namespace torqued

// The options of a check, checked, and the plans that follow from them.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/trajectory/trajectory_check.h"

namespace torqued {

/// A joint with the limits and the friction that count.
struct CheckedJoint : JointLimitsInForce {
  std::string name;
  JointType type = JointType::kRevolute;
  double viscous_friction = 0;  // 0 where the terms leave it out
  double coulomb_friction = 0;
  double coulomb_smoothing = 0;

  /// F_s sgn(v), or F_s tanh(v / ε).
  double CoulombFriction(double v) const;
};

struct CheckSetup {
  std::vector<CheckedJoint> joints;  // in the caller's order
  TaskOptions task;

  EvaluationPlan torques;        // all terms
  EvaluationPlan static_plan;    // gravity and wrenches
  EvaluationPlan inertial_plan;  // M v, of v in the place of the accelerations
  /// As `torques`, with a payload of another mass and the same shape: torques
  /// are affine in it. At least 1 kg apart, so that a light payload is not
  /// lost in the torques of the robot. Absent: nothing could carry it.
  std::optional<EvaluationPlan> reference_load;
  double load_mass = 0;   // kg, of `torques`
  double other_mass = 0;  // of `reference_load`
  double load_reach = 0;  // of either, from its frame to its centre of mass, m
  /// Mobility and σ_min, where they are wanted.
  std::optional<EvaluationPlan> space;
};

std::variant<CheckSetup, ArgumentError> MakeCheckSetup(
    std::shared_ptr<const Model> model, const TrajectoryOptions& options);

/// The first problem of the times, if any: they must be finite and increase,
/// and their differences be finite.
std::optional<ArgumentError> ValidateTimes(std::span<const double> time);

/// Names the first number of a table that is not finite, and its joint;
/// `joints`: of each column, or empty.
std::optional<ArgumentError> ValidateNumbers(
    std::string_view name, const SampleView& table,
    std::span<const std::string> joints);

/// The first problem of the samples, if any.
std::optional<ArgumentError> Validate(const Trajectory& trajectory,
                                      const CheckSetup& setup);

}  // namespace torqued

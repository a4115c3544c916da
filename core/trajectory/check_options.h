// The options and the samples of a check, checked, and the plans that follow.
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

struct SimdKernels;

/// A joint with the limits and the friction that count.
struct CheckedJoint : JointLimitsInForce {
  std::string name;
  JointType type = JointType::kRevolute;
  double viscous_friction = 0;  // 0 where the terms leave it out
  double coulomb_friction = 0;
};

struct CheckSetup {
  std::vector<CheckedJoint> joints = {};  // in the caller's order

  EvaluationPlan torques;        // all terms
  EvaluationPlan static_plan;    // gravity and wrenches
  EvaluationPlan inertial_plan;  // M v, of v in the place of the accelerations
  /// As `torques`, with a payload of another mass and the same shape: torques
  /// are affine in it. At least 1 kg apart, so that a light payload is not
  /// lost in the torques of the robot. Absent: nothing could carry it.
  std::optional<EvaluationPlan> reference_payload = {};
  double load_mass = 0;   // kg, of `torques`
  double other_mass = 0;  // of `reference_payload`
  double load_reach = 0;  // of either, from its frame to its centre of mass, m
  /// Mobility and σ_min, where they are wanted.
  std::optional<EvaluationPlan> space = {};
};

/// A bound on the sizes of the terms that torques are sums of. If these cancel,
/// as about a vertical axis, a torque that should be 0 is not, by some
/// multiples of the terms' last digits.
class TorqueTerms {
 public:
  /// Terms with the heavier of the two payloads; there must be a reference
  /// load.
  explicit TorqueTerms(const CheckSetup& setup);

  struct Bounds {
    double force = 0;   // of a joint that slides, N
    double moment = 0;  // of one that turns, N m
  };
  /// At this row:
  ///   force  = m (g + t + 2 w s) + |f|
  ///   moment = r force + I (w² + w') + |n|
  /// where m is all the mass that moves, r the robot's reach (its offsets and
  /// slides put end to end), s and t speed and acceleration at its end with all
  /// joints in line, w and w' those of the angles, I the traces of all inertias
  /// and (n; f) the tip's wrench.
  Bounds At(const Trajectory& trajectory, std::int64_t row) const;

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

/// How many bytes of workspace a thread needs for a check with these options,
/// whatever its samples are; or what is wrong with the options for the model.
std::variant<std::int64_t, ArgumentError> BytesToCheck(
    std::shared_ptr<const Model> model, const TrajectoryOptions& options,
    const SimdKernels& kernels);

// All of these throw ArgumentError for the first problem that they find.

CheckSetup MakeCheckSetup(std::shared_ptr<const Model> model,
                          const TrajectoryOptions& options);

/// Times must be finite and increase, and their differences be finite.
void CheckTimes(std::span<const double> time);

/// All numbers of a table must be finite; `joints`: of each column, or empty.
void CheckNumbers(std::string_view name, const SampleView& table,
                  std::span<const std::string> joints);

void CheckSamples(const Trajectory& trajectory, const CheckSetup& setup);

}  // namespace torqued

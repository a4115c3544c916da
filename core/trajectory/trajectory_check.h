// The verdict on a trajectory: does the robot keep its limits, and by how much.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/engine/engine.h"
#include "core/engine/evaluation.h"
#include "core/model/model.h"
#include "core/trajectory/sample_remarks.h"
#include "core/trajectory/slow_down.h"
#include "core/trajectory/spline.h"
#include "core/trajectory/verdict.h"

namespace torqued {

/// Samples of a motion, one a row; columns are joints in the order of the
/// options. The caller's memory, which outlives the check.
struct Trajectory {
  std::span<const double> time;  // s, strictly increasing
  SampleView q;                  // rad or m
  SampleView v;                  // rad/s or m/s
  SampleView a;                  // rad/s² or m/s²
  /// 6 columns (moment; force) that the tip exerts on the environment, a row a
  /// sample, or one for all. No rows: none.
  SampleView tip_wrench{nullptr, 0, 6};
  /// The spline that v and a were computed from; its extrema between samples
  /// count as well. Absent: v and a are given, and compared with q.
  std::optional<SplineMethod> spline = std::nullopt;
};

/// Limits of one joint instead of the model's, which count where one is absent.
struct JointBounds : JointLimits {
  /// The drive's torque by speed, in addition to `effort`; empty: `effort` at
  /// all speeds.
  std::vector<TorqueAtSpeed> torque_at_speed;
};

/// A problem of the limits or the drive of a joint: the member and a sentence.
struct MemberProblem {
  std::string member;
  std::string message;
};
/// `limits`: the model's, which count where the bounds have none.
std::optional<MemberProblem> Validate(const JointBounds& bounds,
                                      const JointLimits& limits);
std::optional<MemberProblem> Validate(const JointDrive& drive);

struct TrajectoryOptions {
  /// Joint order, terms, frames, payload, task and precision; its quantities
  /// are ignored.
  EvaluationOptions evaluation;
  /// One for each joint in that order, or none.
  std::vector<JointBounds> bounds;
  std::vector<JointDrive> drives;
  /// All torque limits are multiplied by it; in (0, 1].
  double derating = 1;
  /// Violations of a joint up to so many seconds apart are one; at least 0.
  double merge_gap = 0;
  /// The operational space along the path, which takes a tip frame.
  bool path_inertia = false;
  /// A remark on the samples makes the answer no.
  bool consistent = false;
};

/// How many bytes of workspace a thread needs for a check with these options,
/// whatever its samples are; or what is wrong with the options for the model.
std::variant<std::int64_t, ArgumentError> BytesToCheck(
    std::shared_ptr<const Model> model, const TrajectoryOptions& options,
    const SimdKernels& kernels);

/// Tables of one row a sample, in the order of the joints; null: not wanted.
/// Coefficients of the path dynamics are those of Bobrow, Dubowsky & Gibson
/// 1985 with the trajectory's own time as the path parameter s, whatever pace
/// it is followed at:
///   tau = a(s) s̈ + b(s) ṡ² + c(s) [+ d(s) ṡ + e(s)]
/// d and e are viscous and Coulomb friction where the terms have them. Smooth
/// Coulomb friction falls with the pace, so that e is that of ṡ = 1 alone.
struct TrajectoryTables {
  double* tau = nullptr;  // nv
  double* a = nullptr;    // nv: M v
  double* b = nullptr;    // nv: M a + c(q, v)
  double* c = nullptr;    // nv: gravity and wrenches
  double* d = nullptr;    // nv
  double* e = nullptr;    // nv
  /// At the speeds of the samples, derated; infinite: none.
  double* torque_limit = nullptr;  // nv
  /// σ_min of the scaled task Jacobian, and the condition number of Λ scaled
  /// alike: 1 each.
  double* sigma_min = nullptr;
  double* condition = nullptr;
};

/// Extremes of the tip's operational space along the path.
struct PathInertia {
  PeakValue sigma_min;  // the smallest
  PeakValue condition;  // the largest; infinite at a singularity
};

/// The limits of one joint in this check. Infinite: no limit.
struct JointLimitsInForce {
  double lower = 0;
  double upper = 0;
  double velocity = 0;
  TorqueLimit torque;  // derated
};

struct TrajectoryVerdict {
  /// Nothing is violated; of samples that must be consistent, none contradicts
  /// the others.
  bool passes = false;
  std::vector<JointLimitsInForce> limits;
  std::vector<JointDemand> joints;
  Violations violations;
  SampleRemarks remarks;
  /// Nothing: no step is too long to tell what happens within it.
  std::optional<CoarseStep> coarse_step;
  double duration = 0;      // s
  PeakValue highest_power;  // of all joints together, W
  PeakValue lowest_power;
  double energy_given = 0;  // J, of the joints' sums
  double energy_taken = 0;
  /// What the torque limits allow, in kg: with the shape (centre of mass,
  /// inertia per kg; without a mass a point) of the payload of the options, or
  /// a point mass at the origin of the tip frame. Where a kilogram changes a
  /// torque by no more than rounding does, it changes
  /// nothing. Absent: no payload passes, and none either.
  std::optional<PayloadRange> payload;
  /// False: there is no payload of the options and no tip frame to carry one.
  bool payload_looked_at = false;
  /// So much slower all of it must run to keep torque and velocity limits, or
  /// so much faster it may.
  SlowDown slow_down;
  std::optional<PathInertia> path_inertia;
};

/// Who computes.
enum class CheckThreads : std::uint8_t {
  kAllOfTheEngine,
  kTheCaller,  // alone: also a thread of the engine's pool
};

/// A check in steps. Needs trajectory and tables as long as it lives; throws
/// std::bad_alloc where memory runs out.
class TrajectoryCheck {
 public:
  /// Numbers that are not finite, times that do not increase, tables of the
  /// wrong size and options that cannot be used are errors that name them.
  static std::variant<std::unique_ptr<TrajectoryCheck>, ArgumentError> Create(
      std::shared_ptr<const Model> model, const Trajectory& trajectory,
      const TrajectoryOptions& options, const TrajectoryTables& tables = {});
  virtual ~TrajectoryCheck() = default;

  /// The plan for the torques, without states: it has the resolved options.
  virtual const EvaluationPlan& plan() const = 0;
  virtual std::int64_t done() const = 0;
  virtual std::int64_t total() const = 0;
  /// Bytes of the results of a step, which are kept for the next one.
  virtual std::int64_t step_bytes() const = 0;

  /// Some thousand samples more, fewer of a robot with many joints. Where v and
  /// a were given, the first calls look at all samples for how many digits they
  /// have, and done() stays 0. A sample at which torques, powers or their
  /// integrals overflow is an error. Where the token, if there is one, is
  /// cancelled, the caller returns soon, and the check is good for nothing any
  /// more.
  virtual std::optional<ArgumentError> Advance(
      Engine& engine, CheckThreads threads,
      const std::shared_ptr<CancellationToken>& cancellation = nullptr) = 0;

  /// Once all are done.
  virtual TrajectoryVerdict Finish() = 0;
};

/// The whole check on all threads of the engine.
std::variant<TrajectoryVerdict, ArgumentError> CheckTrajectory(
    Engine& engine, std::shared_ptr<const Model> model,
    const Trajectory& trajectory, const TrajectoryOptions& options,
    const TrajectoryTables& tables = {});

}  // namespace torqued

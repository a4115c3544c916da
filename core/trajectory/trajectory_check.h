// The verdict on a trajectory: whether the robot stays within its limits, and
// by how much.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "torqued/core/engine/engine.h"
#include "torqued/core/engine/evaluation.h"
#include "torqued/core/model/model.h"

namespace torqued {

/// Numbers in memory of another, row after row without gaps.
struct SampleView {
  const double* data = nullptr;
  std::int64_t rows = 0;  // samples
  std::int64_t columns = 0;

  double operator()(std::int64_t row, std::int64_t column) const {
    return data[row * columns + column];
  }
};

/// Interpolating splines with not-a-knot ends: a cubic has two continuous
/// derivatives, a quintic four. Polynomials of the spline's degree are met
/// exactly, up to rounding.
enum class SplineMethod : std::uint8_t { kCubic, kQuintic };

/// How many samples a spline needs at least: 4 or 6.
int FewestSamples(SplineMethod method);

/// Tables of the shape of the positions.
struct SampleRates {
  std::vector<double> v;  // first derivative at every sample
  std::vector<double> a;  // second
};

/// The shortest and the longest step between samples, by the row each ends at.
struct UnevenSteps {
  std::size_t shortest = 0;
  std::size_t longest = 0;
};

/// How often the longest step may hold the shortest: 1e5 or 1000. Splines
/// through steps of very different length amplify rounding with the square and
/// the cube of that ratio. Against splines in exact numbers, with 150 random
/// spacings of six kinds, the worst acceleration at these ratios was off by
/// 3e-5 and 3e-4 of the largest one; at ten times the ratio by 1e-3 and by 2.
double MostUneven(SplineMethod method);

/// Steps beyond that. Absent: all steps are within it. `time` increases
/// strictly.
std::optional<UnevenSteps> TooUneven(std::span<const double> time,
                                     SplineMethod method);

/// Derivatives at its samples of the spline through `positions`, column by
/// column, in steps of some rows. The caller may stop after each step. `time`
/// increases strictly, s, one number per row; it needs at least FewestSamples
/// and must not be TooUneven. Create alone reads `time` and `positions`.
class SplineDerivatives {
 public:
  static std::unique_ptr<SplineDerivatives> Create(std::span<const double> time,
                                                   const SampleView& positions,
                                                   SplineMethod method);
  virtual ~SplineDerivatives() = default;

  /// At most so many rows further; the passes over all rows are 3. True: all of
  /// them are over.
  virtual bool Advance(std::int64_t rows) = 0;

  /// Once Advance says true. Nothing where the derivatives overflow.
  virtual std::optional<SampleRates> Finish() = 0;
};

enum class LimitKind : std::uint8_t {
  kTorque,    // |tau| over what the drive gives at this speed
  kVelocity,  // |v| over the limit
  kPosition,  // q below the lower or above the upper limit
};

struct SamplePlace {
  std::int64_t row = -1;  // from 0; -1: nowhere
  int joint = -1;         // in the caller's order; -1: none in particular
  /// s since that row, before the next one: between samples. 0: at the row.
  double after = 0;
  /// The kind of the limit, if the place is about one.
  LimitKind kind = LimitKind::kTorque;
};

struct TorqueAtSpeed {
  double speed = 0;   // rad/s or m/s, at least 0
  double torque = 0;  // N m or N, at least 0
};

/// The largest magnitude of a joint's torque, which may fall with its speed:
/// the smaller of a constant and of a curve with straight pieces, which goes on
/// as it begins and ends.
class TorqueLimit {
 public:
  TorqueLimit() = default;
  /// `curve`: speeds increase; empty: none. All that is given is multiplied by
  /// `derating`.
  TorqueLimit(std::optional<double> effort,
              const std::vector<TorqueAtSpeed>& curve, double derating);

  /// The speed may have either sign. Infinite: no limit.
  double At(double speed) const;

  bool present() const { return !points_.empty(); }
  /// The points at which its pieces meet, by speed. The curve is straight
  /// between them and constant beyond.
  const std::vector<TorqueAtSpeed>& points() const { return points_; }

 private:
  std::vector<TorqueAtSpeed> points_;
};

/// Samples of a motion, one a row; columns are joints in the order of the
/// options. The caller's memory, which outlives the check.
struct Trajectory {
  std::span<const double> time;  // s, strictly increasing
  SampleView q;                  // rad or m
  SampleView v;                  // rad/s or m/s
  SampleView a;                  // rad/s² or m/s²
  /// 6 columns (moment; force) that the tip exerts on the environment, a row a
  /// sample, or one for all. No rows: none.
  SampleView tip_wrench{.columns = 6};
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
  /// Rates that are inconsistent throughout do not make the answer no.
  bool allow_inconsistent = false;
};

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

/// A number and its place.
struct PeakValue {
  std::int64_t row = -1;  // -1: there is none
  double value = 0;
  /// s since that row, before the next one: between samples. 0: at the row.
  double after = 0;

  bool present() const { return row >= 0; }
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

/// Rows are samples from 0. Positions and velocities are those of the samples
/// and of the extrema between them that are known. Powers and energies are
/// those that the drive gives: tau v, and its integral, straight between
/// samples.
struct JointDemand {
  PeakValue torque;    // of the largest magnitude, signed; N m or N
  PeakValue velocity;  // likewise; rad/s or m/s
  /// |tau| over the limit at that speed; absent: the joint has none. Infinite
  /// for a torque where the limit is 0.
  PeakValue torque_use;
  PeakValue velocity_use;  // |v| over the limit
  PeakValue lowest_position;
  PeakValue highest_position;
  PeakValue highest_power;  // W
  PeakValue lowest_power;   // W; negative: the drive brakes
  double rms_torque = 0;    // over time; squares are straight between samples
  /// Infinite where the limit is 0 and the torque is not.
  std::optional<double> rms_torque_use;
  double energy_given = 0;  // J, of the times with positive power
  double energy_taken = 0;  // J, at least 0, of those with negative power
};

/// A summary of any number of findings, of bounded size.
template <class Finding, std::size_t kinds, std::size_t most_listed>
struct Summary {
  static constexpr std::size_t kMaxListed = most_listed;
  /// By kind.
  using Counts = std::array<std::int64_t, kinds>;

  /// The most severe first, of the same severity the earliest.
  std::vector<Finding> gravest;
  /// All of them, a joint each.
  std::vector<Counts> counts;
  std::int64_t count = 0;
};

/// Samples in a row, or with short gaps, at which one joint breaks one kind of
/// limit, and extrema between them. Rows of the latter are those before them.
struct LimitViolation {
  LimitKind kind = LimitKind::kTorque;
  int joint = -1;  // in the caller's order
  std::int64_t first_row = 0;
  std::int64_t last_row = 0;
  /// s since these rows; 0: at the row.
  double first_after = 0;
  double last_after = 0;
  /// That break it, from first to last; 0: an extremum between two alone.
  std::int64_t samples = 0;
  PeakValue worst = {};  // what it has at the worst place
  double limit = 0;      // there
  /// At the worst sample: |value| over the limit; of positions 1 and the share
  /// of the range by which it is left (1 and the excess where one limit is
  /// missing). Above 1; infinite for a limit of 0.
  double severity = 0;
};

struct Violations : Summary<LimitViolation, 3, 1000> {
  /// The one that begins first, of several the most severe. Absent without a
  /// violation.
  std::optional<LimitViolation> first;
};

enum class RemarkKind : std::uint8_t {
  kVelocity,      // v is not the rate of q
  kAcceleration,  // a is not the rate of v
};

/// Steps close together in which the samples of one joint contradict each
/// other. Steps are those from a row to the next one.
struct SampleRemark {
  RemarkKind kind = RemarkKind::kVelocity;
  int joint = -1;  // in the caller's order
  std::int64_t first_row = 0;
  std::int64_t last_row = 0;  // where the last of the steps ends
  std::int64_t steps = 0;
  /// The worst step or span of steps: where its middle step begins and the mean
  /// of the rate, the difference quotient, and by how much the two may differ.
  PeakValue given = {};
  double expected = 0;
  double tolerance = 0;
  /// By how many tolerances they differ there.
  double severity = 0;
};

using SampleRemarks = Summary<SampleRemark, 2, 100>;

/// A joint whose v is not the rate of q throughout, by more than noise, filters
/// or a delay of recorded samples explain: units that differ, zeros, a sign.
struct InconsistentRate {
  int joint = -1;     // in the caller's order
  double factor = 0;  // v over the rate of q, root mean squares with a sign
};

/// The step from a row to the next one.
struct CoarseStep {
  std::int64_t row = 0;
  int joint = -1;              // in the caller's order
  double duration = 0;         // s
  double position_change = 0;  // rad or m
  double velocity_change = 0;  // rad/s or m/s
  /// Its size relative to the largest allowed step; above 1.
  double share = 0;
};

/// Payloads from `least` to `most` pass, kg; where that is less, none does, nor
/// doing without one. A robot whose torques a payload balances may need some.
struct PayloadRange {
  double least = 0;
  double most = std::numeric_limits<double>::infinity();
  /// The limit that a larger payload would violate. Row −1: no limit.
  SamplePlace limited_by = {};
};

struct SlowDown {
  /// False: at every pace down to rest something is over its limit, or nothing
  /// may move.
  bool possible = true;
  /// The smallest of at least 1 by which times are stretched so that no limit
  /// is exceeded. 1 also if that is not possible.
  double factor = 1;
  /// The limit that a smaller factor would exceed, or, if it is not possible,
  /// any factor. Row −1 if the factor is 1.
  SamplePlace limited_by = {};
  /// If the factor is 1, no limit is exceeded up to so many times the speed: at
  /// least 1, infinite if a million times is possible. Else 1.
  double fastest = 1;
  /// The limit that exceeds first above `fastest`.
  SamplePlace fastest_limited_by = {};
};

struct TrajectoryVerdict {
  /// Nothing is violated, no rate is inconsistent unless that is allowed, and
  /// of samples that must be consistent, none contradicts the others.
  bool passes = false;
  std::vector<JointLimitsInForce> limits;
  std::vector<JointDemand> joints;
  Violations violations;
  SampleRemarks remarks;
  std::vector<InconsistentRate> inconsistent;
  /// Nothing: no step is too long to tell what happens within it.
  std::optional<CoarseStep> coarse_step;
  double duration = 0;      // s
  PeakValue highest_power;  // of all joints together, W
  PeakValue lowest_power;
  double energy_given = 0;  // J, of the joints' sums
  double energy_taken = 0;
  /// The payload that the torque limits allow, in kg: with the shape (centre of
  /// mass, inertia per kg; without a mass a point) of the payload of the
  /// options, or a point mass at the origin of the tip frame. A kilogram that
  /// changes a torque by no more than rounding does counts as no change.
  /// Absent: no payload passes, and none either.
  std::optional<PayloadRange> payload;
  /// False: there is no payload of the options and no tip frame to carry one.
  bool payload_looked_at = false;
  /// So much slower all of it must run to keep torque and velocity limits, or
  /// so much faster it may.
  SlowDown slow_down;
  std::optional<PathInertia> path_inertia;
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

  /// A few thousand samples more, fewer of a robot with many joints, and fewer
  /// if the calling thread computes alone, since max_threads is 1. If v and a
  /// were given, the first calls look at all samples for how many digits they
  /// have, and done() stays 0. A sample at which torques, powers or their
  /// integrals overflow is an error. If the token of `job` is cancelled, the
  /// call returns soon, and the check is good for nothing any more.
  /// stop_at_first must be false.
  virtual std::optional<ArgumentError> Advance(Engine& engine,
                                               const JobOptions& job = {}) = 0;

  /// Once all are done.
  virtual TrajectoryVerdict Finish() = 0;
};

/// The whole check on all threads of the engine.
std::variant<TrajectoryVerdict, ArgumentError> CheckTrajectory(
    Engine& engine, std::shared_ptr<const Model> model,
    const Trajectory& trajectory, const TrajectoryOptions& options,
    const TrajectoryTables& tables = {});

}  // namespace torqued

// The parts of a verdict on a trajectory: what each joint does, what leaves its
// limits, which steps are too long, and which payloads pass.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "core/model/model.h"

namespace torqued {

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
  /// Where its pieces meet, by speed; straight lines between them, constant
  /// beyond.
  const std::vector<TorqueAtSpeed>& points() const { return points_; }

 private:
  std::vector<TorqueAtSpeed> points_;
};

/// A summary of any number of findings, of bounded size. A `Finding` has a
/// joint, one of so many kinds, and IsGraverThan.
template <class Finding, std::size_t kinds, std::size_t most_listed>
struct Summary {
  static constexpr std::size_t kMaxListed = most_listed;
  /// By kind.
  using Counts = std::array<std::int64_t, kinds>;

  /// The gravest first, of the same severity the earliest.
  std::vector<Finding> gravest;
  /// All of them, a joint each.
  std::vector<Counts> counts;
  std::int64_t count = 0;

  /// The least grave comes first, until Sort.
  void Add(const Finding& finding) {
    ++count;
    ++counts[finding.joint][static_cast<std::size_t>(finding.kind)];
    if (gravest.size() == kMaxListed) {
      if (!IsGraver(finding, gravest.front())) return;
      std::ranges::pop_heap(gravest, IsGraver);
      gravest.pop_back();
    }
    gravest.push_back(finding);
    std::ranges::push_heap(gravest, IsGraver);
  }
  void Sort() { std::ranges::sort_heap(gravest, IsGraver); }

 private:
  static bool IsGraver(const Finding& a, const Finding& b) {
    return a.IsGraverThan(b);
  }
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

/// The torque of one joint at one sample with a payload of mass m:
/// without + m per_kg.
struct LoadedTorque {
  double without = 0;  // N m or N
  /// 0 where no payload moves this torque. What is left of a difference after
  /// rounding must not stand here: any mass might follow from it.
  double per_kg = 0;
};

/// Payloads from `least` to `most` pass, kg; where that is less, none does, nor
/// doing without one. A robot whose torques a payload balances may need some.
struct PayloadRange {
  double least = 0;
  double most = std::numeric_limits<double>::infinity();
  /// The limit that a larger payload would violate; nowhere if there is none.
  SamplePlace limited_by = {};

  /// Leaves |without + m per_kg| <= limit. Torques are affine in a payload of
  /// given shape (Lynch & Park 2017, section 8.1: linear in inertial
  /// parameters), so the limits are solved, not searched.
  void Restrict(const LoadedTorque& torque, double limit,
                const SamplePlace& place);
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
  /// The worst place: what it has there, and the limit.
  std::int64_t worst_row = 0;
  double worst_after = 0;
  double value = 0;
  double limit = 0;
  /// At the worst sample: |value| over the limit; of positions 1 and the share
  /// of the range by which it is left (1 and the excess where one limit is
  /// missing). Above 1; infinite for a limit of 0.
  double severity = 0;

  bool IsGraverThan(const LimitViolation& other) const;
};

struct Violations : Summary<LimitViolation, 3, 1000> {
  /// The one that begins first, of several the gravest; absent: there is none.
  std::optional<LimitViolation> first;
};

/// Puts samples together as they come, row by row, and extrema between two of
/// them after the first and before the second.
class ViolationTracker {
 public:
  /// Samples up to `gap` seconds apart belong together, beside neighbours.
  ViolationTracker(int joints, std::span<const double> time, double gap)
      : time_(time), gap_(gap), open_(joints) {
    found_.counts.resize(open_.size());
  }

  void Add(LimitKind kind, const SamplePlace& place, double value, double limit,
           double severity);

  Violations Finish();

 private:
  void Close(const LimitViolation& violation);

  std::span<const double> time_;
  double gap_;
  /// By joint and kind, what may still grow; no severity: none.
  std::vector<std::array<LimitViolation, 3>> open_;
  Violations found_;  // `gravest` is a heap, the least grave on top
};

/// A number and its place.
struct PeakValue {
  std::int64_t row = -1;  // -1: there is none
  double value = 0;
  /// s since that row, before the next one: between samples. 0: at the row.
  double after = 0;

  bool present() const { return row >= 0; }
};

/// The first of equals stays.
void KeepLargest(PeakValue& peak, const PeakValue& candidate);
void KeepSmallest(PeakValue& peak, const PeakValue& candidate);

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

/// One sample of a joint.
struct JointSample {
  double q = 0;
  double v = 0;
  double tau = 0;
  double torque_limit = 0;    // infinite: none
  double velocity_limit = 0;  // infinite: none
};

/// |value| / limit; 0 / 0 is 0.
double UseOf(double value, double limit);

/// Takes the samples of a joint in order.
class JointTally {
 public:
  /// `step`: seconds since the sample before; of the first one 0.
  void Add(std::int64_t row, double step, const JointSample& sample);

  /// An extremum so many seconds after a row that was added, before the next.
  void AddPosition(std::int64_t row, double after, double q);
  /// `limit` is infinite where there is none.
  void AddVelocity(std::int64_t row, double after, double v, double limit);

  /// Whether an integral of finite numbers has left the range of numbers.
  bool overflows() const;

  /// `duration`: seconds from the first sample to the last.
  JointDemand Finish(double duration) const;

 private:
  /// By trapezoids. Takes infinity, which stays.
  struct Integral {
    double sum = 0;
    double last = 0;

    void Add(double step, double value);
    bool overflows() const {
      return !std::isfinite(sum) || !std::isfinite(last);
    }
    /// The root of the mean over time; of a single sample of its square.
    double RootMean(double duration) const;
  };

  JointDemand demand_;
  Integral square_of_torque_, square_of_use_;
  double last_power_ = 0;
};

}  // namespace torqued

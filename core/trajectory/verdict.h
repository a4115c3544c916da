// The parts of a verdict on a trajectory: what each joint does, what leaves its
// limits, which steps are too long, and which payloads pass.
#pragma once

#include <algorithm>
#include <array>
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

/// Adds an item to a heap of at most `most`, the least grave on top, which
/// makes room. std::sort_heap with the same order puts the gravest first.
template <class Item, class IsGraver>
void KeepGravest(const Item& item, std::size_t most, IsGraver is_graver,
                 std::vector<Item>* heap) {
  if (heap->size() == most) {
    if (!is_graver(item, heap->front())) return;
    std::pop_heap(heap->begin(), heap->end(), is_graver);
    heap->pop_back();
  }
  heap->push_back(item);
  std::push_heap(heap->begin(), heap->end(), is_graver);
}

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

/// The largest motion of a joint within a step. Infinite: any.
struct FineStep {
  /// By how much it may turn or slide: 0.25 rad, as a torque that swings with
  /// the angle is then missed by at most 1 - cos(0.125), 0.8 %, of its swing
  /// between two samples; or a tenth of the range of a joint that slides.
  double position = 0;
  /// A tenth of the limit of velocities that are judged at samples alone: one
  /// that turns between two samples exceeds both by a quarter of that, as far
  /// as the acceleration of its neighbours goes.
  double velocity = 0;
};

/// Payloads from `least` to `most` pass, kg. A robot whose torques a payload
/// balances may need some.
struct PayloadRange {
  double least = 0;
  double most = std::numeric_limits<double>::infinity();
  /// The limit that a larger payload would violate; nowhere if there is none.
  SamplePlace limited_by;
};

/// The torque of one joint at one sample with a payload of mass m:
/// without + m per_kg.
struct LoadedTorque {
  double without = 0;  // N m or N
  /// 0 where no payload moves this torque. What is left of a difference after
  /// rounding must not stand here: any mass might follow from it.
  double per_kg = 0;
};

/// Takes the samples one by one. Torques are affine in a payload of given shape
/// (Lynch & Park 2017, section 8.1: linear in inertial parameters), so the
/// limits are solved, not searched.
class PayloadSearch {
 public:
  /// |without + m per_kg| <= limit.
  void Add(const LoadedTorque& torque, double limit, const SamplePlace& place);

  /// Nothing where no payload, and not doing without one either, passes.
  std::optional<PayloadRange> Find() const;

 private:
  PayloadRange range_;
  bool possible_ = true;
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
};

/// A summary of any number of violations, of bounded size.
struct Violations {
  /// By joint and LimitKind.
  using Counts = std::array<std::int64_t, 3>;

  /// The gravest first, of the same severity the earliest; at most
  /// ViolationTracker::kMaxListed.
  std::vector<LimitViolation> gravest;
  /// The one that begins first, of several the gravest; absent: there is none.
  std::optional<LimitViolation> first;
  /// All of them, a joint each.
  std::vector<Counts> counts;
  std::int64_t count = 0;
};

/// Puts samples together as they come, row by row, and extrema between two of
/// them after the first and before the second.
class ViolationTracker {
 public:
  static constexpr std::size_t kMaxListed = 1000;

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
  /// Integrates by trapezoids. Takes infinity, which stays.
  struct Integral {
    double sum = 0;
    double last = 0;

    void Add(double step, double value);
  };

  void AddPower(double step, double power);

  JointDemand demand_;
  Integral square_of_torque_;
  Integral square_of_use_;
  double last_power_ = 0;
};

}  // namespace torqued

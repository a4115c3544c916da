// What the parts of a verdict have in common, and its small parts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
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
  /// Which limit it is, where something stands at a limit.
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

/// From a row to the next one.
struct CoarseStep {
  std::int64_t row = 0;
  int joint = -1;              // in the caller's order
  double duration = 0;         // s
  double position_change = 0;  // rad or m
  double velocity_change = 0;  // rad/s or m/s
  /// Of what a step may be; above 1.
  double share = 0;
};

/// What a joint may do within a step. Infinite: anything.
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

/// `velocity_limit` is infinite where there is none. `between`: velocities are
/// judged between samples, too.
FineStep FineStepOf(JointType type, double lower, double upper,
                    double velocity_limit, bool between);

/// Finds the step that is the largest by its share of that.
class CoarsestStep {
 public:
  void Add(const FineStep& fine, const CoarseStep& step);
  /// Nothing where all are fine. Of equals the first.
  const std::optional<CoarseStep>& found() const { return found_; }

 private:
  std::optional<CoarseStep> found_;
};

/// Payloads from `least` to `most` pass, kg. A robot whose torques a payload
/// balances may need some.
struct PayloadRange {
  double least = 0;
  double most = std::numeric_limits<double>::infinity();
  /// What stands in the way of more; nowhere where nothing does.
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

}  // namespace torqued

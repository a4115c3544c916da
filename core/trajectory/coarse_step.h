// Whether steps between samples are short enough to tell what is between them.
#pragma once

#include <cstdint>
#include <optional>

#include "core/model/model.h"

namespace torqued {

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

}  // namespace torqued

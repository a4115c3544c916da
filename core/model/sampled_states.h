// The states at which a model is looked at while it is loaded.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/model/model.h"

namespace torqued {

/// q = 0 and up to 32 random positions, fewer where there are many joints, so
/// that looking at a robot of 1024 joints takes tenths of a second at most. The
/// same states for the same seed: inside the position limits, of which only a
/// turn or 10 m on either side of what is nearest to zero count; without limits
/// within half a turn or 1 m.
class SampledStates {
 public:
  /// The joints must outlive the states.
  SampledStates(std::span<const Joint> joints, std::uint64_t seed);

  /// How many there are; q = 0 is one of them.
  int count() const { return count_; }

  /// The next one, q = 0 first: one number for each joint, rad or m, valid
  /// until the next call.
  std::span<const double> Next();

 private:
  /// In [lower, upper].
  double Between(double lower, double upper);
  double Position(const Joint& joint);

  std::span<const Joint> joints_;
  std::uint64_t random_;
  int count_;
  bool home_ = true;
  std::vector<double> q_;
};

}  // namespace torqued

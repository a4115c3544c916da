// Sets of numbers that are ruled out, piece by piece.
#pragma once

#include <cstddef>
#include <vector>

#include "core/trajectory/sample_place.h"

namespace torqued {

/// A union of intervals, each with the place that gave its lower end.
class ForbiddenIntervals {
 public:
  struct Interval {
    double low = 0;
    double high = 0;
    SamplePlace place;  // what begins to rule out at `low`
  };

  /// Rules out what lies between the two; nothing unless low < high.
  void Add(double low, double high, const SamplePlace& place);

  /// The interval that holds x or ends there, if one does; null: x may be
  /// taken. Valid until the next call.
  const Interval* Holding(double x);

 private:
  void Merge();

  std::vector<Interval> intervals_;
  std::size_t merged_ = 0;  // so many are ascending and apart
};

}  // namespace torqued

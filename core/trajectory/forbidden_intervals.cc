#include "core/trajectory/forbidden_intervals.h"

#include <algorithm>
#include <tuple>

namespace torqued {
namespace {

/// Merging costs about as much as so many additions.
constexpr std::size_t kUnmerged = 256;

}  // namespace

void ForbiddenIntervals::Add(double low, double high,
                             const SamplePlace& place) {
  if (!(low < high)) return;
  intervals_.push_back({low, high, place});
  if (intervals_.size() > 2 * merged_ + kUnmerged) Merge();
}

void ForbiddenIntervals::Merge() {
  std::sort(intervals_.begin(), intervals_.end(),
            [](const Interval& a, const Interval& b) {
              return std::tuple(a.low, a.place.row, a.place.joint) <
                     std::tuple(b.low, b.place.row, b.place.joint);
            });
  std::size_t kept = 0;
  for (const Interval& interval : intervals_) {
    if (kept > 0 && interval.low <= intervals_[kept - 1].high) {
      double& high = intervals_[kept - 1].high;
      high = std::max(high, interval.high);
    } else {
      intervals_[kept++] = interval;
    }
  }
  intervals_.resize(kept);
  merged_ = kept;
}

const ForbiddenIntervals::Interval* ForbiddenIntervals::Holding(double x) {
  Merge();
  for (const Interval& interval : intervals_) {
    if (interval.low < x && x <= interval.high) return &interval;
  }
  return nullptr;
}

}  // namespace torqued

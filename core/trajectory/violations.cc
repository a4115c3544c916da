#include "core/trajectory/violations.h"

#include <algorithm>
#include <cstddef>
#include <tuple>

namespace torqued {

void ViolationTracker::Add(LimitKind kind, const SamplePlace& place,
                           double value, double limit, double severity) {
  const std::size_t joints = open_.size() / 3;
  LimitViolation& open = open_[static_cast<std::size_t>(kind) * joints +
                               static_cast<std::size_t>(place.joint)];
  const auto seconds_since = [&](std::int64_t row) {
    return time_[static_cast<std::size_t>(place.row)] -
           time_[static_cast<std::size_t>(row)];
  };
  const bool goes_on =
      open.samples > 0 &&
      (place.row == open.last_row + 1 || seconds_since(open.last_row) <= gap_);
  if (!goes_on) {
    if (open.samples > 0) closed_.push_back(open);
    open = {.kind = kind, .joint = place.joint, .first_row = place.row};
  }
  open.last_row = place.row;
  ++open.samples;
  if (severity > open.severity) {
    open.severity = severity;
    open.worst_row = place.row;
    open.value = value;
    open.limit = limit;
  }
}

std::vector<LimitViolation> ViolationTracker::Finish() {
  for (LimitViolation& open : open_) {
    if (open.samples > 0) closed_.push_back(open);
    open.samples = 0;
  }
  std::sort(closed_.begin(), closed_.end(),
            [](const LimitViolation& a, const LimitViolation& b) {
              return std::tuple(-a.severity, a.first_row, a.kind, a.joint) <
                     std::tuple(-b.severity, b.first_row, b.kind, b.joint);
            });
  return std::move(closed_);
}

}  // namespace torqued

#include "core/trajectory/violations.h"

#include <algorithm>
#include <tuple>

namespace torqued {
namespace {

bool IsGraver(const LimitViolation& a, const LimitViolation& b) {
  return std::tuple(-a.severity, a.first_row, a.first_after, a.kind, a.joint) <
         std::tuple(-b.severity, b.first_row, b.first_after, b.kind, b.joint);
}

bool IsEarlier(const LimitViolation& a, const LimitViolation& b) {
  return std::tuple(a.first_row, a.first_after) <
             std::tuple(b.first_row, b.first_after) ||
         (a.first_row == b.first_row && a.first_after == b.first_after &&
          IsGraver(a, b));
}

}  // namespace

void ViolationTracker::Add(LimitKind kind, const SamplePlace& place,
                           double value, double limit, double severity) {
  LimitViolation& open = open_[static_cast<std::size_t>(place.joint)]
                              [static_cast<std::size_t>(kind)];
  const auto time_of = [&](std::int64_t row, double after) {
    return time_[static_cast<std::size_t>(row)] + after;
  };
  // An extremum behind the next sample is no neighbour: that one would be.
  const bool next_to = place.row == open.last_row ||
                       (place.row == open.last_row + 1 && place.after == 0);
  const bool goes_on =
      open.severity > 0 &&
      (next_to || time_of(place.row, place.after) -
                          time_of(open.last_row, open.last_after) <=
                      gap_);
  if (!goes_on) {
    Close(open);
    open = {.kind = kind,
            .joint = place.joint,
            .first_row = place.row,
            .first_after = place.after};
  }
  open.last_row = place.row;
  open.last_after = place.after;
  if (place.after == 0) ++open.samples;
  if (severity > open.severity) {
    open.severity = severity;
    open.worst_row = place.row;
    open.worst_after = place.after;
    open.value = value;
    open.limit = limit;
  }
}

void ViolationTracker::Close(const LimitViolation& violation) {
  if (!(violation.severity > 0)) return;
  ++found_.count;
  ++found_.counts[static_cast<std::size_t>(violation.joint)]
                 [static_cast<std::size_t>(violation.kind)];
  if (!found_.first || IsEarlier(violation, *found_.first)) {
    found_.first = violation;
  }
  KeepGravest(violation, kMostListed, IsGraver, &found_.gravest);
}

Violations ViolationTracker::Finish() {
  for (auto& of_joint : open_) {
    for (LimitViolation& open : of_joint) {
      Close(open);
      open = {};
    }
  }
  std::sort_heap(found_.gravest.begin(), found_.gravest.end(), IsGraver);
  return std::move(found_);
}

}  // namespace torqued

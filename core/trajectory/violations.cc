#include "core/trajectory/violations.h"

#include <algorithm>
#include <tuple>

namespace torqued {
namespace {

bool IsGraver(const LimitViolation& a, const LimitViolation& b) {
  return std::tuple(-a.severity, a.first_row, a.kind, a.joint) <
         std::tuple(-b.severity, b.first_row, b.kind, b.joint);
}

bool IsEarlier(const LimitViolation& a, const LimitViolation& b) {
  return a.first_row < b.first_row ||
         (a.first_row == b.first_row && IsGraver(a, b));
}

}  // namespace

void ViolationTracker::Add(LimitKind kind, const SamplePlace& place,
                           double value, double limit, double severity) {
  LimitViolation& open = open_[static_cast<std::size_t>(place.joint)]
                              [static_cast<std::size_t>(kind)];
  const auto seconds_since = [&](std::int64_t row) {
    return time_[static_cast<std::size_t>(place.row)] -
           time_[static_cast<std::size_t>(row)];
  };
  const bool goes_on =
      open.samples > 0 &&
      (place.row == open.last_row + 1 || seconds_since(open.last_row) <= gap_);
  if (!goes_on) {
    Close(open);
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

void ViolationTracker::Close(const LimitViolation& violation) {
  if (violation.samples == 0) return;
  ++found_.count;
  ++found_.counts[static_cast<std::size_t>(violation.joint)]
                 [static_cast<std::size_t>(violation.kind)];
  if (!found_.first || IsEarlier(violation, *found_.first)) {
    found_.first = violation;
  }
  auto& heap = found_.gravest;
  if (heap.size() == kMostListed) {
    if (!IsGraver(violation, heap.front())) return;
    std::pop_heap(heap.begin(), heap.end(), IsGraver);
    heap.pop_back();
  }
  heap.push_back(violation);
  std::push_heap(heap.begin(), heap.end(), IsGraver);
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

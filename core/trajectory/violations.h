// Where a trajectory leaves its limits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/trajectory/verdict.h"

namespace torqued {

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

/// What is known of any number of violations, in little memory.
struct Violations {
  /// By joint and LimitKind.
  using Counts = std::array<std::int64_t, 3>;

  /// The gravest first, of the same severity the earliest; at most
  /// ViolationTracker::kMostListed.
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
  static constexpr std::size_t kMostListed = 1000;

  /// Samples up to `gap` seconds apart belong together, beside neighbours.
  ViolationTracker(int joints, std::span<const double> time, double gap)
      : time_(time), gap_(gap), open_(static_cast<std::size_t>(joints)) {
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

}  // namespace torqued

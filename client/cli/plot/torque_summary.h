// What a trajectory asks of each joint.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "client/cpp/states.h"

namespace torqued::cli {

struct JointLoad {
  std::string joint;
  /// N m or N; absent: unlimited.
  std::optional<double> effort_limit;
  /// The torque of largest magnitude, signed, and where it stands. Absent when
  /// no sample has a number.
  std::optional<double> peak;
  std::int64_t peak_sample = 0;
  std::optional<double> peak_time;
  /// Samples with |tau| > limit.
  std::int64_t samples_over_limit = 0;

  /// |peak| / limit; absent without a limit (or without a peak). Infinite for a
  /// limit of zero that is exceeded.
  std::optional<double> utilization() const;
};

struct TorqueSummary {
  std::vector<JointLoad> joints;

  bool exceeds_limits() const;
  /// Index of the joint with the largest utilization; absent when none has a
  /// limit.
  std::optional<std::size_t> most_loaded() const;
};

/// "45.8 %". Never "100.0 %" for what is just below or just above the limit.
std::string UtilizationText(double utilization);

/// `time` has one number per row of `tau`, or none.
TorqueSummary SummarizeTorques(
    const client::Batch& tau, const std::vector<double>& time,
    const std::vector<std::string>& joints,
    const std::vector<std::optional<double>>& effort_limits);

}  // namespace torqued::cli

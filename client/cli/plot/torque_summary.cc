#include "client/cli/plot/torque_summary.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

namespace torqued::cli {

std::optional<double> JointLoad::utilization() const {
  if (!effort_limit || !peak) return std::nullopt;
  if (*effort_limit == 0) {
    return *peak == 0 ? 0 : std::numeric_limits<double>::infinity();
  }
  return std::abs(*peak) / *effort_limit;
}

bool TorqueSummary::exceeds_limits() const {
  return std::any_of(joints.begin(), joints.end(), [](const JointLoad& load) {
    return load.samples_over_limit > 0;
  });
}

std::optional<std::size_t> TorqueSummary::most_loaded() const {
  std::optional<std::size_t> most;
  for (std::size_t k = 0; k < joints.size(); ++k) {
    const std::optional<double> utilization = joints[k].utilization();
    if (utilization && (!most || *utilization > joints[*most].utilization())) {
      most = k;
    }
  }
  return most;
}

std::string UtilizationText(double utilization) {
  if (!std::isfinite(utilization)) return "over 100 %";
  double tenths = std::round(1000 * utilization);
  if (tenths == 1000 && utilization < 1) tenths = 999;
  if (tenths == 1000 && utilization > 1) tenths = 1001;
  std::array<char, 340> text;
  std::snprintf(text.data(), text.size(), "%.1f %%", tenths / 10);
  return text.data();
}

TorqueSummary SummarizeTorques(
    const client::Batch& tau, const std::vector<double>& time,
    const std::vector<std::string>& joints,
    const std::vector<std::optional<double>>& effort_limits) {
  TorqueSummary summary;
  for (std::size_t k = 0; k < joints.size(); ++k) {
    JointLoad load;
    load.joint = joints[k];
    load.effort_limit = effort_limits[k];
    for (Eigen::Index row = 0; row < tau.rows(); ++row) {
      const double value = tau(row, static_cast<Eigen::Index>(k));
      if (std::isnan(value)) continue;
      if (!load.peak || std::abs(value) > std::abs(*load.peak)) {
        load.peak = value;
        load.peak_sample = row;
      }
      if (load.effort_limit && std::abs(value) > *load.effort_limit) {
        ++load.samples_over_limit;
      }
    }
    if (load.peak && !time.empty()) {
      load.peak_time = time[static_cast<std::size_t>(load.peak_sample)];
    }
    summary.joints.push_back(std::move(load));
  }
  return summary;
}

}  // namespace torqued::cli

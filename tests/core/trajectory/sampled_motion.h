// Motions to check, for tests.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/trajectory/trajectory_check.h"

namespace torqued::testing_support {

/// A smooth motion of all joints, with its own exact rates.
struct SampledMotion {
  std::vector<double> time;
  SampleTable q, v, a;
  SampleTable wrench;

  Trajectory View() const {
    return {time, ViewOf(q), ViewOf(v), ViewOf(a), ViewOf(wrench)};
  }
  /// The same path, `factor` times as slow.
  SampledMotion Slower(double factor) const;
};

/// `rows` samples over three seconds, unevenly spaced; with `wrench`, a wrench
/// of the tip that changes with time.
SampledMotion MakeMotion(const Model& model, std::int64_t rows,
                         std::uint64_t seed, bool wrench = false);

/// The verdict; a failure of the running test, and an empty one, where there is
/// none.
TrajectoryVerdict VerdictOn(const std::shared_ptr<const Model>& model,
                            const SampledMotion& motion,
                            const TrajectoryOptions& options,
                            const TrajectoryTables& tables = {});

}  // namespace torqued::testing_support

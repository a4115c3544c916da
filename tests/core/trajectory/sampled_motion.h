// Motions to check, for tests.
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "core/trajectory/trajectory_check.h"
#include "tests/support/random_robot.h"

namespace torqued::testing_support {

using SampleTable =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

inline SampleView ViewOf(const SampleTable& table) {
  return {table.data(), table.rows(), table.cols()};
}

/// Samples at 0, 1, 2, ... s, at first at rest.
struct SampledMotion {
  SampledMotion(Eigen::Index rows, Eigen::Index joints)
      : time(static_cast<std::size_t>(rows)) {
    std::iota(time.begin(), time.end(), 0.0);
    q = v = a = SampleTable::Zero(rows, joints);
  }

  std::vector<double> time;
  SampleTable q, v, a;
  SampleTable wrench;
  std::optional<SplineMethod> spline;  // judged between samples

  Trajectory View() const {
    return {time, ViewOf(q), ViewOf(v), ViewOf(a), ViewOf(wrench), spline};
  }
  /// The same path, `factor` times as slow.
  SampledMotion Slower(double factor) const {
    SampledMotion slower = *this;
    for (double& t : slower.time) t *= factor;
    slower.v /= factor;
    slower.a /= factor * factor;
    return slower;
  }
};

/// A smooth motion of all joints over three seconds, unevenly spaced, with its
/// own exact rates; with `wrench`, a wrench of the tip that changes with time.
inline SampledMotion MakeMotion(const Model& model, std::int64_t rows,
                                std::uint64_t seed, bool wrench = false) {
  Random random(seed);
  const int n = model.nv();
  const Eigen::VectorXd middle = random.Vector(n, -0.5, 0.5);
  const Eigen::VectorXd swing = random.Vector(n, 0.2, 0.8);
  const Eigen::VectorXd rate = random.Vector(n, 1, 3);
  const Eigen::VectorXd phase = random.Vector(n, 0, 6);
  SampledMotion motion(rows, n);
  if (wrench) motion.wrench = SampleTable::Zero(rows, 6);
  for (std::int64_t row = 0; row < rows; ++row) {
    const double share = static_cast<double>(row) / static_cast<double>(rows);
    const double t = 3 * (share + 0.1 * std::sin(6 * share));
    motion.time[static_cast<std::size_t>(row)] = t;
    for (int j = 0; j < n; ++j) {
      const double angle = rate[j] * t + phase[j];
      motion.q(row, j) = middle[j] + swing[j] * std::sin(angle);
      motion.v(row, j) = swing[j] * rate[j] * std::cos(angle);
      motion.a(row, j) = -swing[j] * rate[j] * rate[j] * std::sin(angle);
    }
    for (int k = 0; wrench && k < 6; ++k) {
      motion.wrench(row, k) = 5 * std::sin(t + k);
    }
  }
  return motion;
}

struct TablesOfRates {
  SampleTable v, a;
};

/// Of the spline through positions, `at_a_time` rows in one go.
inline std::optional<TablesOfRates> Differentiate(
    std::span<const double> time, const SampleTable& positions,
    SplineMethod method, std::int64_t at_a_time = 1 << 20) {
  const auto derivatives =
      SplineDerivatives::Create(time, ViewOf(positions), method);
  // The passes over all rows are three.
  for (auto left = 3 * positions.rows(); left > at_a_time; left -= at_a_time) {
    EXPECT_FALSE(derivatives->Advance(at_a_time));
  }
  EXPECT_TRUE(derivatives->Advance(at_a_time));
  const auto rates = derivatives->Finish();
  if (!rates) return std::nullopt;
  const auto table = [&](const std::vector<double>& numbers) {
    return Eigen::Map<const SampleTable>(numbers.data(), positions.rows(),
                                         positions.cols());
  };
  return TablesOfRates{table(rates->v), table(rates->a)};
}

/// Bounds that only a test's own break.
inline TrajectoryOptions Wide(const Model& model) {
  TrajectoryOptions options;
  JointBounds wide;
  wide.lower = -100;
  wide.upper = 100;
  wide.velocity = 1e6;
  wide.effort = 1e9;
  options.bounds.assign(model.joints().size(), wide);
  return options;
}

/// The verdict; a failure of the running test, and an empty one, where there is
/// none.
inline TrajectoryVerdict VerdictOn(const std::shared_ptr<const Model>& model,
                                   const SampledMotion& motion,
                                   const TrajectoryOptions& options,
                                   const TrajectoryTables& tables = {}) {
  Engine engine({.threads = 2});
  auto result = CheckTrajectory(engine, model, motion.View(), options, tables);
  if (auto* verdict = std::get_if<TrajectoryVerdict>(&result)) {
    return std::move(*verdict);
  }
  const auto* error = std::get_if<ArgumentError>(&result);
  ADD_FAILURE() << "no verdict: " << (error ? error->message : "");
  return {};
}

}  // namespace torqued::testing_support

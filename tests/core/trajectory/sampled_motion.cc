#include "tests/core/trajectory/sampled_motion.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/random_robot.h"

namespace torqued::testing_support {

SampledMotion SampledMotion::Slower(double factor) const {
  SampledMotion slower = *this;
  for (double& t : slower.time) t *= factor;
  slower.v /= factor;
  slower.a /= factor * factor;
  return slower;
}

SampledMotion MakeMotion(const Model& model, std::int64_t rows,
                         std::uint64_t seed, bool wrench) {
  Random random(seed);
  const int n = model.nv();
  const Eigen::VectorXd middle = random.Vector(n, -0.5, 0.5);
  const Eigen::VectorXd swing = random.Vector(n, 0.2, 0.8);
  const Eigen::VectorXd rate = random.Vector(n, 1, 3);
  const Eigen::VectorXd phase = random.Vector(n, 0, 6);
  SampledMotion motion;
  motion.q = motion.v = motion.a = SampleTable::Zero(rows, n);
  if (wrench) motion.wrench = SampleTable::Zero(rows, 6);
  for (std::int64_t row = 0; row < rows; ++row) {
    const double share = static_cast<double>(row) / static_cast<double>(rows);
    const double t = 3 * (share + 0.1 * std::sin(6 * share));
    motion.time.push_back(t);
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

TrajectoryVerdict VerdictOn(const std::shared_ptr<const Model>& model,
                            const SampledMotion& motion,
                            const TrajectoryOptions& options,
                            const TrajectoryTables& tables) {
  Engine engine({.threads = 2});
  auto result = CheckTrajectory(engine, model, motion.View(), options, tables);
  if (const auto* error = std::get_if<ArgumentError>(&result)) {
    ADD_FAILURE() << error->field << ": " << error->message;
    return {};
  }
  if (std::holds_alternative<NoVerdict>(result)) {
    ADD_FAILURE() << "no verdict";
    return {};
  }
  return std::get<TrajectoryVerdict>(std::move(result));
}

}  // namespace torqued::testing_support

// What of a motion a check judges, and what it says about the samples.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/trajectory/spline.h"
#include "core/trajectory/trajectory_check.h"
#include "tests/core/trajectory/sampled_motion.h"
#include "tests/support/load_model.h"

namespace torqued {
namespace {

using testing_support::MakeMotion;
using testing_support::SampledMotion;
using testing_support::ShippedModel;

/// Bounds that only this test's own break.
TrajectoryOptions Wide(const Model& model) {
  TrajectoryOptions options;
  JointBounds wide;
  wide.lower = -100;
  wide.upper = 100;
  wide.velocity = 1e6;
  wide.effort = 1e9;
  options.bounds.assign(model.joints().size(), wide);
  return options;
}

/// Positions with the rates of their spline.
SampledMotion Splined(const std::vector<double>& time, const SampleTable& q,
                      SplineMethod method) {
  SampledMotion motion;
  motion.time = time;
  motion.q = q;
  const auto rates = Differentiate(time, ViewOf(q), method);
  EXPECT_TRUE(rates.has_value());
  motion.v = rates->v;
  motion.a = rates->a;
  return motion;
}

TrajectoryVerdict VerdictOf(const std::shared_ptr<const Model>& model,
                            const SampledMotion& motion,
                            const TrajectoryOptions& options,
                            std::optional<SplineMethod> spline) {
  Engine engine({.threads = 1});
  Trajectory trajectory = motion.View();
  trajectory.spline = spline;
  auto result = CheckTrajectory(engine, model, trajectory, options);
  if (!std::holds_alternative<TrajectoryVerdict>(result)) {
    ADD_FAILURE() << "no verdict";
    return {};
  }
  return std::get<TrajectoryVerdict>(std::move(result));
}

/// Two joints of which the first passes 1 rad between samples 2 and 3: samples
/// of a parabola, which a spline meets.
SampledMotion Overshoot(SplineMethod method) {
  const std::vector<double> time = {0, 1, 2, 3, 4, 5, 6, 7};
  SampleTable q = SampleTable::Zero(8, 2);
  for (int k = 0; k < 8; ++k) {
    q(k, 0) = 1 - 0.1 * (k - 2.5) * (k - 2.5);
    q(k, 1) = 0.1 * k;
  }
  return Splined(time, q, method);
}

TEST(JudgedMotion, ASplineThatLeavesItsLimitBetweenSamplesFails) {
  const auto model = ShippedModel("planar_2r");
  for (const SplineMethod method :
       {SplineMethod::kCubic, SplineMethod::kQuintic}) {
    TrajectoryOptions options = Wide(*model);
    // The samples next to the top are at 0.975.
    options.bounds[0].upper = 0.99;
    const SampledMotion motion = Overshoot(method);
    EXPECT_TRUE(VerdictOf(model, motion, options, std::nullopt).passes);
    const TrajectoryVerdict verdict = VerdictOf(model, motion, options, method);
    EXPECT_FALSE(verdict.passes);
    ASSERT_EQ(verdict.violations.count, 1);
    const LimitViolation& violation = verdict.violations.gravest.front();
    EXPECT_EQ(violation.kind, LimitKind::kPosition);
    EXPECT_EQ(violation.joint, 0);
    EXPECT_EQ(violation.samples, 0);
    EXPECT_EQ(violation.first_row, 2);
    EXPECT_EQ(violation.last_row, 2);
    EXPECT_EQ(violation.worst_row, 2);
    EXPECT_NEAR(violation.worst_after, 0.5, 1e-9);
    EXPECT_NEAR(violation.value, 1, 1e-12);
    EXPECT_EQ(verdict.joints[0].highest_position.row, 2);
    EXPECT_NEAR(verdict.joints[0].highest_position.value, 1, 1e-12);
    EXPECT_NEAR(verdict.joints[0].highest_position.after, 0.5, 1e-9);
  }
}

TEST(JudgedMotion, ASampleAndTheExtremumNextToItAreOneViolation) {
  const auto model = ShippedModel("planar_2r");
  TrajectoryOptions options = Wide(*model);
  options.bounds[0].upper = 0.97;
  const TrajectoryVerdict verdict = VerdictOf(
      model, Overshoot(SplineMethod::kCubic), options, SplineMethod::kCubic);
  ASSERT_EQ(verdict.violations.count, 1);
  const LimitViolation& violation = verdict.violations.gravest.front();
  EXPECT_EQ(violation.samples, 2);
  EXPECT_EQ(violation.first_row, 2);
  EXPECT_EQ(violation.first_after, 0);
  EXPECT_EQ(violation.last_row, 3);
  EXPECT_NEAR(violation.worst_after, 0.5, 1e-9);
}

TEST(JudgedMotion, VelocitiesBetweenSamplesSlowItDown) {
  const auto model = ShippedModel("planar_2r");
  // Fastest at 2.5 s, where no sample is.
  std::vector<double> time;
  SampleTable q = SampleTable::Zero(6, 2);
  for (int k = 0; k < 6; ++k) {
    const double t = k - 2.5;
    time.push_back(k);
    q(k, 0) = t - 0.02 * t * t * t;
  }
  const SampledMotion motion = Splined(time, q, SplineMethod::kCubic);
  TrajectoryOptions options = Wide(*model);
  options.bounds[0].velocity = 0.99;  // 0.985 at the samples, 1 between them
  EXPECT_TRUE(VerdictOf(model, motion, options, std::nullopt).passes);
  const TrajectoryVerdict verdict =
      VerdictOf(model, motion, options, SplineMethod::kCubic);
  EXPECT_FALSE(verdict.passes);
  ASSERT_EQ(verdict.violations.count, 1);
  EXPECT_EQ(verdict.violations.gravest[0].kind, LimitKind::kVelocity);
  EXPECT_NEAR(verdict.joints[0].velocity.value, 1, 1e-12);
  EXPECT_NEAR(verdict.joints[0].velocity_use.value, 1 / 0.99, 1e-12);
  ASSERT_TRUE(verdict.slow_down.possible);
  EXPECT_NEAR(verdict.slow_down.factor, 1 / 0.99, 1e-12);
  EXPECT_EQ(verdict.slow_down.limited_by.row, 2);
  EXPECT_NEAR(verdict.slow_down.limited_by.after, 0.5, 1e-9);
}

/// Against the spline of the same samples and finer ones.
TEST(JudgedMotion, NoFinerSampleIsBeyondWhatIsJudged) {
  const auto model = ShippedModel("panda");
  for (const SplineMethod method :
       {SplineMethod::kCubic, SplineMethod::kQuintic}) {
    const SampledMotion coarse = MakeMotion(*model, 12, 4);
    const SampledMotion motion = Splined(coarse.time, coarse.q, method);
    const TrajectoryVerdict verdict =
        VerdictOf(model, motion, Wide(*model), method);
    // Its samples and points between them: on the same spline.
    for (int j = 0; j < 7; ++j) {
      double low = 1e9, high = -1e9;
      for (std::size_t k = 0; k + 1 < motion.time.size(); ++k) {
        const auto row = static_cast<Eigen::Index>(k);
        const double h = motion.time[k + 1] - motion.time[k];
        for (int i = 0; i <= 200; ++i) {
          const double t = h * i / 200, u = t / h, w = 1 - u;
          double q = 0;
          if (method == SplineMethod::kCubic) {
            q = motion.q(row, j) * w * w * (1 + 2 * u) +
                motion.q(row + 1, j) * u * u * (1 + 2 * w) +
                h * (motion.v(row, j) * u * w * w -
                     motion.v(row + 1, j) * w * u * u);
          } else {
            const auto blend = [&](Eigen::Index at, double x, double sign) {
              const double y = 1 - x;
              return y * y * y *
                     (motion.q(at, j) * (1 + 3 * x + 6 * x * x) +
                      sign * h * motion.v(at, j) * x * (1 + 3 * x) +
                      h * h * motion.a(at, j) * x * x / 2);
            };
            q = blend(row, u, 1) + blend(row + 1, w, -1);
          }
          low = std::min(low, q);
          high = std::max(high, q);
        }
      }
      const JointDemand& demand = verdict.joints[static_cast<std::size_t>(j)];
      EXPECT_NEAR(demand.lowest_position.value, low, 1e-4);
      EXPECT_NEAR(demand.highest_position.value, high, 1e-4);
      EXPECT_LE(demand.lowest_position.value, low + 1e-12);
      EXPECT_GE(demand.highest_position.value, high - 1e-12);
    }
  }
}

TEST(JudgedMotion, RemarksMakeTheAnswerNoOnlyWhereTheyAreToCount) {
  const auto model = ShippedModel("planar_2r");
  SampledMotion motion;
  motion.time = {0, 1, 2};
  motion.q = motion.v = motion.a = SampleTable::Zero(3, 2);
  motion.q.col(0) << 0, 1, 2;
  TrajectoryOptions options = Wide(*model);
  TrajectoryVerdict verdict = VerdictOf(model, motion, options, std::nullopt);
  EXPECT_TRUE(verdict.passes);
  EXPECT_EQ(verdict.remarks.count, 1);
  options.consistent = true;
  verdict = VerdictOf(model, motion, options, std::nullopt);
  EXPECT_FALSE(verdict.passes);
  EXPECT_EQ(verdict.violations.count, 0);
  motion.q.col(0).setZero();
  EXPECT_TRUE(VerdictOf(model, motion, options, std::nullopt).passes);
}

TEST(JudgedMotion, DerivedRatesAreNotHeldAgainstPositions) {
  const auto model = ShippedModel("planar_2r");
  TrajectoryOptions options = Wide(*model);
  options.consistent = true;
  const SampledMotion motion = Overshoot(SplineMethod::kCubic);
  EXPECT_TRUE(VerdictOf(model, motion, options, SplineMethod::kCubic).passes);
  // To and fro: at rest at each sample, as a spline through them is.
  SampledMotion saw = Overshoot(SplineMethod::kCubic);
  for (Eigen::Index row = 0; row < 8; ++row) {
    saw.q(row, 0) = static_cast<double>(row % 2);
  }
  saw.v.setZero();
  saw.a.setZero();
  EXPECT_FALSE(VerdictOf(model, saw, options, std::nullopt).passes);
  const TrajectoryVerdict verdict =
      VerdictOf(model, saw, options, SplineMethod::kCubic);
  EXPECT_TRUE(verdict.passes);
  EXPECT_EQ(verdict.remarks.count, 0);
  EXPECT_EQ(verdict.remarks.counts.size(), 2u);
}

TEST(JudgedMotion, TheLargestStepIsToldWhereItIsCoarse) {
  const auto model = ShippedModel("panda");
  // 0.8 rad at up to 3 rad/s: 2.4 rad/s.
  EXPECT_FALSE(
      VerdictOf(model, MakeMotion(*model, 3000, 2), Wide(*model), std::nullopt)
          .coarse_step);
  SampledMotion motion = MakeMotion(*model, 3000, 2);
  for (Eigen::Index row = 1500; row < 3000; ++row) motion.q(row, 3) += 0.3;
  const auto step =
      VerdictOf(model, motion, Wide(*model), std::nullopt).coarse_step;
  ASSERT_TRUE(step);
  EXPECT_EQ(step->row, 1499);
  EXPECT_EQ(step->joint, 3);
  EXPECT_NEAR(step->position_change, 0.3, 0.01);
  EXPECT_DOUBLE_EQ(step->duration, motion.time[1500] - motion.time[1499]);
  // Neither the first coarse one nor the last.
  for (Eigen::Index row = 0; row < 600; ++row) motion.q(row, 2) += 0.28;
  for (Eigen::Index row = 0; row < 2400; ++row) motion.q(row, 4) += 0.28;
  EXPECT_EQ(
      VerdictOf(model, motion, Wide(*model), std::nullopt).coarse_step->row,
      1499);

  // A tenth of the velocity limit, where velocities are those of samples.
  motion = MakeMotion(*model, 3000, 2);
  for (Eigen::Index row = 700; row < 3000; ++row) motion.v(row, 5) += 0.3;
  TrajectoryOptions options = Wide(*model);
  options.bounds[5].velocity = 2.61;
  EXPECT_EQ(VerdictOf(model, motion, options, std::nullopt).coarse_step->row,
            699);
  // A spline is judged between its samples.
  EXPECT_FALSE(
      VerdictOf(model, motion, options, SplineMethod::kCubic).coarse_step);
  options.bounds[5].velocity = 4;
  EXPECT_FALSE(VerdictOf(model, motion, options, std::nullopt).coarse_step);
}

}  // namespace
}  // namespace torqued

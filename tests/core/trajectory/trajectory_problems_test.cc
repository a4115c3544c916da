// What cannot be checked is told, by name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>

#include "tests/core/trajectory/sampled_motion.h"
#include "tests/support/load_model.h"

namespace torqued {
namespace {

using testing_support::MakeMotion;
using testing_support::SampledMotion;
using testing_support::ShippedModel;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Problem {
  std::string field;
  std::function<void(SampledMotion&, TrajectoryOptions&)> make;
};

TEST(TrajectoryProblems, NameTheFieldAndTheSample) {
  const auto model = ShippedModel("ur5e");
  const Problem problems[] = {
      {"q[3][2]", [](auto& motion, auto&) { motion.q(3, 2) = kNaN; }},
      {"v[0][5]", [](auto& motion, auto&) { motion.v(0, 5) = kInfinity; }},
      {"a[9][0]", [](auto& motion, auto&) { motion.a(9, 0) = -kInfinity; }},
      {"tip_wrench_on_environment[4][1]",
       [](auto& motion, auto&) { motion.wrench(4, 1) = kNaN; }},
      {"time[5]", [](auto& motion, auto&) { motion.time[5] = motion.time[4]; }},
      {"time[2]", [](auto& motion, auto&) { motion.time[2] = kNaN; }},
      {"time", [](auto& motion, auto&) { motion = {}; }},
      {"v", [](auto& motion, auto&) { motion.v.conservativeResize(9, 6); }},
      {"q", [](auto& motion, auto&) { motion.q.conservativeResize(10, 5); }},
      {"tip_wrench_on_environment",
       [](auto& motion, auto&) { motion.wrench.conservativeResize(10, 5); }},
      {"bounds", [](auto&, auto& options) { options.bounds.resize(5); }},
      {"drives", [](auto&, auto& options) { options.drives.resize(7); }},
      {"bounds[1].velocity",
       [](auto&, auto& options) {
         options.bounds.resize(6);
         options.bounds[1].velocity = -1;
       }},
      {"bounds[2].effort",
       [](auto&, auto& options) {
         options.bounds.resize(6);
         options.bounds[2].effort = kNaN;
       }},
      {"bounds[3].lower",
       [](auto&, auto& options) {
         options.bounds.resize(6);
         options.bounds[3].lower = 2;
         options.bounds[3].upper = 1;
       }},
      {"bounds[0].torque_at_speed",
       [](auto&, auto& options) {
         options.bounds.resize(6);
         options.bounds[0].torque_at_speed = {{1, 2}, {1, 3}};
       }},
      {"drives[4].armature",
       [](auto&, auto& options) {
         options.drives.resize(6);
         options.drives[4].armature = -0.1;
       }},
      {"derating", [](auto&, auto& options) { options.derating = 1.1; }},
      {"derating", [](auto&, auto& options) { options.derating = 0; }},
      {"merge_gap", [](auto&, auto& options) { options.merge_gap = -1; }},
      {"options.tip_frame",
       [](auto&, auto& options) { options.evaluation.tip_frame = "nowhere"; }},
      {"options.joint_names",
       [](auto&, auto& options) {
         options.evaluation.joint_names = {"elbow_joint"};
       }},
      {"bounds[5].lower",
       [](auto&, auto& options) {
         options.bounds.resize(6);
         options.bounds[5].lower = 7;  // the model has 2 pi
       }},
      {"bounds[5].upper",
       [](auto&, auto& options) {
         options.bounds.resize(6);
         options.bounds[5].upper = -7;
       }},
      {"time[9]",
       [](auto& motion, auto&) {
         motion.time.front() = -1.7e308;
         motion.time.back() = 1.7e308;
       }},
      {"samples", [](auto& motion, auto&) { motion.a.setConstant(1.5e308); }},
      // The torques do not overflow, but their squares or their power do.
      {"samples", [](auto& motion, auto&) { motion.a.setConstant(1e200); }},
      {"samples", [](auto& motion, auto&) { motion.v.setConstant(1e120); }},
  };
  Engine engine({.threads = 1});
  for (const auto& [field, make] : problems) {
    SampledMotion motion = MakeMotion(*model, 10, 1, true);
    TrajectoryOptions options;
    make(motion, options);
    const auto result = CheckTrajectory(engine, model, motion.View(), options);
    const auto* error = std::get_if<ArgumentError>(&result);
    ASSERT_NE(error, nullptr) << field;
    EXPECT_EQ(error->field, field);
    EXPECT_FALSE(error->message.empty());
  }
}

TEST(TrajectoryProblems, TheSampleAndJointOfANumberAreNamed) {
  const auto model = ShippedModel("ur5e");
  SampledMotion motion = MakeMotion(*model, 10, 1);
  motion.q(3, 2) = kNaN;
  Engine engine({.threads = 1});
  const auto result = CheckTrajectory(engine, model, motion.View(), {});
  const auto& error = std::get<ArgumentError>(result);
  EXPECT_EQ(error.code, ArgumentError::Code::kInvalidSample);
  EXPECT_EQ(error.row, 3);
  EXPECT_EQ(error.joint, "elbow_joint");
  EXPECT_NE(error.message.find("elbow_joint"), std::string::npos);
}

TEST(TrajectoryProblems, TheSampleWhoseTimeDoesNotIncreaseIsNamed) {
  const auto model = ShippedModel("ur5e");
  SampledMotion motion = MakeMotion(*model, 10, 1);
  motion.time[7] = 0.25;
  motion.time[8] = 0.125;
  Engine engine({.threads = 1});
  const auto result = CheckTrajectory(engine, model, motion.View(), {});
  const auto& error = std::get<ArgumentError>(result);
  EXPECT_EQ(error.row, motion.time[6] < 0.25 ? 8 : 7);
  EXPECT_EQ(error.joint, "");
  EXPECT_THAT(error.message, testing::StartsWith("Times must increase: "));
}

TEST(TrajectoryProblems, TheSampleWhereAnIntegralOverflowsIsNamed) {
  const auto model = ShippedModel("ur5e");
  SampledMotion motion = MakeMotion(*model, 10, 1);
  motion.a(4, 5) = 1e200;  // its square is out of range
  Engine engine({.threads = 1});
  const auto result = CheckTrajectory(engine, model, motion.View(), {});
  const auto& error = std::get<ArgumentError>(result);
  EXPECT_EQ(error.row, 4);
  EXPECT_EQ(error.joint, "shoulder_pan_joint");  // the first of those it moves
}

TEST(TrajectoryProblems, TheSampleWhosePowerOverflowsIsNamed) {
  const auto model = ShippedModel("ur5e");
  SampledMotion motion = MakeMotion(*model, 10, 1);
  motion.v(4, 1) = 1e100;
  motion.a(4, 1) = 1e250;
  Engine engine({.threads = 1});
  const auto result = CheckTrajectory(engine, model, motion.View(), {});
  EXPECT_EQ(std::get<ArgumentError>(result).row, 4);
  EXPECT_EQ(std::get<ArgumentError>(result).message,
            "Sample 4: a power overflows.");
}

TEST(TrajectoryProblems, ACancelledCheckHasNoVerdict) {
  const auto model = ShippedModel("ur5e");
  const SampledMotion motion = MakeMotion(*model, 20'000, 1);
  Engine engine({.threads = 1});
  CancellationToken token;
  std::int64_t done = 0;
  const auto result = CheckTrajectory(
      engine, model, motion.View(), {}, {},
      [&](std::int64_t so_far, std::int64_t total) {
        EXPECT_EQ(total, 20'000);
        done = so_far;
        token.Cancel();
      },
      &token);
  ASSERT_TRUE(std::holds_alternative<NoVerdict>(result));
  EXPECT_EQ(std::get<NoVerdict>(result), NoVerdict::kCancelled);
  EXPECT_GT(done, 0);
  EXPECT_LT(done, 20'000);
}

}  // namespace
}  // namespace torqued

#include "server/wire/reply.h"
#include "server/wire/request.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace torqued::server {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

void ExpectRefused(const v1::OperationalSpaceOptions& options,
                   const std::string& field) {
  try {
    DecodeTask(options);
    FAIL() << field;
  } catch (const Error& error) {
    EXPECT_EQ(error.reason, v1::INVALID_OPTION);
    ASSERT_EQ(error.violations.size(), 1u);
    EXPECT_EQ(error.violations[0].field, "operational_space." + field);
  }
}

TEST(DecodeTaskTest, AxesKeepTheirOrder) {
  v1::OperationalSpaceOptions options;
  options.add_axes(v1::TASK_AXIS_LINEAR_Z);
  options.add_axes(v1::TASK_AXIS_ANGULAR_X);
  const TaskOptions task = DecodeTask(options);
  ASSERT_EQ(task.axis_count, 2);
  EXPECT_EQ(task.axes[0], 5);
  EXPECT_EQ(task.axes[1], 0);
}

TEST(DecodeTaskTest, RepeatedAndUnknownAxesAreRefused) {
  for (const int second :
       {0, 7, -3, static_cast<int>(v1::TASK_AXIS_LINEAR_X)}) {
    v1::OperationalSpaceOptions options;
    options.add_axes(v1::TASK_AXIS_LINEAR_X);
    options.add_axes(static_cast<v1::TaskAxis>(second));
    ExpectRefused(options, "axes[1]");
  }
  v1::OperationalSpaceOptions all;
  for (int axis = 1; axis <= 6; ++axis) {
    all.add_axes(static_cast<v1::TaskAxis>(axis));
  }
  all.add_axes(v1::TASK_AXIS_ANGULAR_X);
  ExpectRefused(all, "axes[6]");
}

TEST(DecodeTaskTest, DampingBelongsToTheDampedRule) {
  v1::OperationalSpaceOptions options;
  for (const double damping : {0.1, -0.1, kNaN, kInfinity}) {
    options.set_damping(damping);
    ExpectRefused(options, "damping");
  }
  options.set_singularity(v1::SINGULARITY_RULE_DAMPED);
  for (const double damping : {0.0, -0.1, kNaN, kInfinity}) {
    options.set_damping(damping);
    ExpectRefused(options, "damping");
  }
  options.set_damping(0.1);
  const TaskOptions task = DecodeTask(options);
  EXPECT_EQ(task.singularity, SingularityRule::kDamped);
  EXPECT_EQ(task.damping, 0.1);
}

TEST(DecodeTaskTest, ToleranceAndLengthHaveTheirRanges) {
  for (const double tolerance : {-1e-9, 1.0, kNaN, kInfinity}) {
    v1::OperationalSpaceOptions options;
    options.set_rank_tolerance(tolerance);
    ExpectRefused(options, "rank_tolerance");
  }
  for (const double length : {0.0, -1.0, 9e-31, 1.1e30, kNaN, kInfinity}) {
    v1::OperationalSpaceOptions options;
    options.set_characteristic_length(length);
    ExpectRefused(options, "characteristic_length");
  }
  for (const double length : {1e-30, 1e30}) {
    v1::OperationalSpaceOptions options;
    options.set_characteristic_length(length);
    const TaskOptions task = DecodeTask(options);
    EXPECT_EQ(task.characteristic_length, length);
  }
  v1::OperationalSpaceOptions zero;
  zero.set_rank_tolerance(0);
  const TaskOptions task = DecodeTask(zero);
  EXPECT_EQ(task.rank_tolerance, 0) << "not taken for absent";
}

TEST(DecodeTaskTest, UnknownRuleIsRefused) {
  v1::OperationalSpaceOptions options;
  options.set_singularity(static_cast<v1::SingularityRule>(3));
  ExpectRefused(options, "singularity");
}

TEST(EncodeTaskTest, WhatIsEchoedDecodesToTheSame) {
  v1::OperationalSpaceOptions echoed;
  EncodeTask(TaskOptions{}, &echoed);
  EXPECT_EQ(echoed.axes_size(), 6);
  EXPECT_EQ(echoed.singularity(), v1::SINGULARITY_RULE_REPORT);
  EXPECT_TRUE(echoed.has_rank_tolerance());
  EXPECT_TRUE(echoed.has_characteristic_length());

  TaskOptions task;
  task.axes = {5, 1};
  task.axis_count = 2;
  task.singularity = SingularityRule::kDamped;
  task.damping = 0.25;
  task.rank_tolerance = 1e-3;
  task.characteristic_length = 0.5;
  v1::OperationalSpaceOptions wire;
  EncodeTask(task, &wire);
  const TaskOptions back = DecodeTask(wire);
  EXPECT_EQ(back.axis_count, 2);
  EXPECT_EQ(back.axes[0], 5);
  EXPECT_EQ(back.axes[1], 1);
  EXPECT_EQ(back.singularity, SingularityRule::kDamped);
  EXPECT_EQ(back.damping, 0.25);
  EXPECT_EQ(back.rank_tolerance, 1e-3);
  EXPECT_EQ(back.characteristic_length, 0.5);
}

}  // namespace
}  // namespace torqued::server

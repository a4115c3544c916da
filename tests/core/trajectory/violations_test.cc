#include "core/trajectory/violations.h"

#include <gtest/gtest.h>

#include <vector>

namespace torqued {
namespace {

const std::vector<double> kTime = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};

TEST(Violations, NeighboursOfOneJointAndKindAreOne) {
  ViolationTracker tracker(2, kTime, 0);
  tracker.Add(LimitKind::kTorque, {1, 0}, 11, 10, 1.1);
  tracker.Add(LimitKind::kTorque, {2, 0}, -15, 10, 1.5);
  tracker.Add(LimitKind::kVelocity, {2, 0}, 3, 2, 1.5);
  tracker.Add(LimitKind::kTorque, {2, 1}, 12, 10, 1.2);
  tracker.Add(LimitKind::kTorque, {3, 0}, 12, 10, 1.2);
  tracker.Add(LimitKind::kTorque, {6, 0}, 20, 10, 2.0);
  const auto violations = tracker.Finish();
  ASSERT_EQ(violations.size(), 4u);
  EXPECT_EQ(violations[0].first_row, 6);
  EXPECT_EQ(violations[0].severity, 2);
  EXPECT_EQ(violations[1].first_row, 1);
  EXPECT_EQ(violations[1].last_row, 3);
  EXPECT_EQ(violations[1].samples, 3);
  EXPECT_EQ(violations[1].worst_row, 2);
  EXPECT_EQ(violations[1].value, -15);
  EXPECT_EQ(violations[2].kind, LimitKind::kVelocity);
  EXPECT_EQ(violations[3].joint, 1);
}

TEST(Violations, ShortGapsAreBridged) {
  for (const double gap : {0.0, 1.9, 2.0, 5.0}) {
    ViolationTracker tracker(1, kTime, gap);
    tracker.Add(LimitKind::kPosition, {2, 0}, 1, 0.5, 1.5);
    tracker.Add(LimitKind::kPosition, {4, 0}, 1, 0.5, 1.4);
    const auto violations = tracker.Finish();
    ASSERT_EQ(violations.size(), gap >= 2 ? 1u : 2u) << gap;
    EXPECT_EQ(violations[0].samples, gap >= 2 ? 2 : 1);
  }
}

TEST(Violations, GapsAreCountedFromTheLastSample) {
  ViolationTracker tracker(1, kTime, 2);
  for (const int row : {0, 2, 4, 6}) {
    tracker.Add(LimitKind::kTorque, {row, 0}, 2, 1, 2);
  }
  const auto violations = tracker.Finish();
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].last_row, 6);
  EXPECT_EQ(violations[0].samples, 4);
}

TEST(Violations, NoneAreNone) {
  EXPECT_TRUE(ViolationTracker(3, kTime, 1).Finish().empty());
}

}  // namespace
}  // namespace torqued

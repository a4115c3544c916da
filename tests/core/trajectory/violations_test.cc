#include "core/trajectory/verdict.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
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
  const auto violations = tracker.Finish().gravest;
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

TEST(Violations, AnExtremumBelongsToTheSamplesNextToIt) {
  ViolationTracker tracker(1, kTime, 0);
  // Between 1 and 2, at 2, between 2 and 3; then alone between 4 and 5.
  tracker.Add(LimitKind::kPosition, {1, 0, 0.5}, 2, 1, 1.2);
  tracker.Add(LimitKind::kPosition, {2, 0}, 2, 1, 1.1);
  tracker.Add(LimitKind::kPosition, {2, 0, 0.25}, 2, 1, 1.3);
  tracker.Add(LimitKind::kPosition, {4, 0, 0.5}, 2, 1, 1.4);
  // The sample between these two keeps the limit.
  tracker.Add(LimitKind::kPosition, {5, 0, 0.5}, 2, 1, 1.5);
  const Violations found = tracker.Finish();
  ASSERT_EQ(found.count, 3);
  EXPECT_EQ(found.gravest[0].first_row, 5);
  EXPECT_EQ(found.gravest[0].samples, 0);
  EXPECT_EQ(found.gravest[0].worst_after, 0.5);
  EXPECT_EQ(found.gravest[1].first_row, 4);
  EXPECT_EQ(found.gravest[2].first_row, 1);
  EXPECT_EQ(found.gravest[2].first_after, 0.5);
  EXPECT_EQ(found.gravest[2].last_row, 2);
  EXPECT_EQ(found.gravest[2].last_after, 0.25);
  EXPECT_EQ(found.gravest[2].samples, 1);
  EXPECT_EQ(found.first->first_row, 1);
}

TEST(Violations, ShortGapsAreBridged) {
  for (const double gap : {0.0, 1.9, 2.0, 5.0}) {
    ViolationTracker tracker(1, kTime, gap);
    tracker.Add(LimitKind::kPosition, {2, 0}, 1, 0.5, 1.5);
    tracker.Add(LimitKind::kPosition, {4, 0}, 1, 0.5, 1.4);
    const auto violations = tracker.Finish().gravest;
    ASSERT_EQ(violations.size(), gap >= 2 ? 1u : 2u) << gap;
    EXPECT_EQ(violations[0].samples, gap >= 2 ? 2 : 1);
  }
}

TEST(Violations, GapsAreCountedFromTheLastSample) {
  ViolationTracker tracker(1, kTime, 2);
  for (const int row : {0, 2, 4, 6}) {
    tracker.Add(LimitKind::kTorque, {row, 0}, 2, 1, 2);
  }
  const auto violations = tracker.Finish().gravest;
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].last_row, 6);
  EXPECT_EQ(violations[0].samples, 4);
}

TEST(Violations, OfManyTheGravestTheFirstAndTheCountsStay) {
  constexpr int kRows = 5000;
  std::vector<double> time(kRows);
  for (int k = 0; k < kRows; ++k) time[static_cast<std::size_t>(k)] = k;
  ViolationTracker tracker(2, time, 0);
  const auto severity = [](int row) { return 2 + std::sin(0.7 * row); };
  // The first one is the least.
  tracker.Add(LimitKind::kPosition, {0, 1}, 1, 0.5, 1.001);
  for (int row = 1; row < kRows; row += 2) {
    tracker.Add(LimitKind::kTorque, {row, 0}, row, 1, severity(row));
  }
  tracker.Add(LimitKind::kVelocity, {kRows - 1, 1}, 9, 3, 3);
  const Violations violations = tracker.Finish();
  EXPECT_EQ(violations.count, 2502);
  EXPECT_EQ(violations.counts[0], (Violations::Counts{2500, 0, 0}));
  EXPECT_EQ(violations.counts[1], (Violations::Counts{0, 1, 1}));
  ASSERT_TRUE(violations.first);
  EXPECT_EQ(violations.first->kind, LimitKind::kPosition);
  std::vector<double> expected = {3};
  for (int row = 1; row < kRows; row += 2) expected.push_back(severity(row));
  std::sort(expected.rbegin(), expected.rend());
  ASSERT_EQ(violations.gravest.size(), 1000u);
  for (std::size_t k = 0; k < 1000; ++k) {
    EXPECT_EQ(violations.gravest[k].severity, expected[k]) << k;
  }
  EXPECT_EQ(violations.gravest[0].kind, LimitKind::kVelocity);
}

TEST(Violations, OfThoseThatBeginTogetherTheGravestIsTheFirst) {
  ViolationTracker tracker(3, kTime, 0);
  tracker.Add(LimitKind::kTorque, {4, 0}, 2, 1, 2);
  tracker.Add(LimitKind::kTorque, {4, 1}, 4, 1, 4);
  tracker.Add(LimitKind::kTorque, {4, 2}, 3, 1, 3);
  EXPECT_EQ(tracker.Finish().first->joint, 1);
}

TEST(Violations, NoneAreNone) {
  const Violations none = ViolationTracker(3, kTime, 1).Finish();
  EXPECT_TRUE(none.gravest.empty());
  EXPECT_FALSE(none.first);
  EXPECT_EQ(none.count, 0);
  EXPECT_EQ(none.counts.size(), 3u);
}

}  // namespace
}  // namespace torqued

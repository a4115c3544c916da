#include "server/services/check_job.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include "core/engine/evaluate_rows.h"
#include "tests/server/robots.h"
#include "tests/support/random_robot.h"

namespace torqued::server {
namespace {

using testing_support::RandomRobotOptions;

constexpr std::int64_t kPlenty = 1 << 30;

/// Whose steps take more than a thread keeps.
const ModelEntry& LongChain() {
  static const ModelEntry entry = [] {
    ModelEntry made;
    made.name = "long";
    made.loaded = LoadRevision(
        "urdf",
        testing_support::MakeRandomRobot(
            1, {.shape = RandomRobotOptions::Shape::kChain, .dof = 200})
            .urdf,
        {});
    return made;
  }();
  return entry;
}

v1::CheckTrajectoryStart Start(bool along_the_path) {
  v1::CheckTrajectoryStart start;
  start.set_model("long");
  if (along_the_path) start.mutable_operational_space();
  return start;
}

class CheckJobTest : public ::testing::Test {
 protected:
  static Admission Of(std::int64_t bytes) {
    return Admission({bytes, kPlenty});
  }

  std::optional<Error> StartOf(Admission& admission, bool along_the_path) {
    Reservation room(admission);
    CheckJob job(engine_, &room, nullptr);
    return job.Start(Start(along_the_path), LongChain());
  }

  std::int64_t HeldFromTheStart(bool along_the_path) {
    Admission admission = Of(kPlenty);
    Reservation room(admission);
    CheckJob job(engine_, &room, nullptr);
    EXPECT_FALSE(job.Start(Start(along_the_path), LongChain()));
    return admission.bytes();
  }

  Engine engine_{Engine::Options{.threads = 1}};
};

TEST_F(CheckJobTest, WhatItsStepsTakeIsAdmittedAtItsStart) {
  EvaluationOptions options;
  options.quantities = {Quantity::kOperationalSpace, Quantity::kTaskProjection};
  const auto plan = EvaluationPlan::Create(LongChain().loaded->model, options);
  const std::int64_t path =
      RowWorkspace::BytesFor(std::get<EvaluationPlan>(plan), engine_.kernels());
  options.quantities = {Quantity::kInverseDynamics};
  const auto still = EvaluationPlan::Create(LongChain().loaded->model, options);
  const std::int64_t torques = RowWorkspace::BytesFor(
      std::get<EvaluationPlan>(still), engine_.kernels());
  ASSERT_GT(torques, RowWorkspace::kMaxRetainedBytes);
  ASSERT_GT(path, torques);
  EXPECT_GE(HeldFromTheStart(false), torques);
  // Beside the message.
  const std::int64_t more = HeldFromTheStart(true) - HeldFromTheStart(false);
  EXPECT_GE(more, path - torques);
  EXPECT_LE(more, path - torques + 4096);
}

TEST_F(CheckJobTest, WhoseStepsNeverFitIsRefusedAtItsStart) {
  for (const bool along_the_path : {false, true}) {
    Admission narrow = Of(HeldFromTheStart(along_the_path) - 1);
    const auto error = StartOf(narrow, along_the_path);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->reason, v1::REQUEST_TOO_LARGE);
    EXPECT_EQ(narrow.bytes(), 0);
  }
}

TEST_F(CheckJobTest, WhoseStepsFindNoRoomNowIsRefusedAtItsStart) {
  const std::int64_t held = HeldFromTheStart(true);
  Admission admission = Of(2 * held - 1);
  Reservation other(admission);
  ASSERT_FALSE(other.Grow(held));
  const auto error = StartOf(admission, true);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->reason, v1::OVERLOADED);
  other.GiveBack();
  EXPECT_FALSE(StartOf(admission, true));
}

TEST_F(CheckJobTest, TheResultsOfAStepAreAdmitted) {
  constexpr int kRows = 5000, kJoints = 3;
  Admission admission = Of(kPlenty);
  Reservation room(admission);
  CheckJob job(engine_, &room, nullptr);
  v1::CheckTrajectoryStart start;
  start.mutable_operational_space();
  ASSERT_FALSE(job.Start(std::move(start), ThreeJoints()));
  v1::TrajectorySamples samples;
  samples.mutable_time()->set_columns(1);
  for (v1::Array* table :
       {samples.mutable_q(), samples.mutable_v(), samples.mutable_a()}) {
    table->set_columns(kJoints);
    for (int k = 0; k < kRows * kJoints; ++k) table->add_values(0.5);
  }
  for (int k = 0; k < kRows; ++k) samples.mutable_time()->add_values(k);
  ASSERT_FALSE(job.Append(samples));
  ASSERT_FALSE(job.Step());  // what is to be derived
  const std::int64_t before = admission.bytes();
  ASSERT_FALSE(job.Step());  // makes ready
  // Torques of two kinds at least, and the mobility of a full task.
  EXPECT_GE(admission.bytes() - before,
            std::int64_t{kRows} * (2 * kJoints + 36) * 8);
  while (job.verdict() == nullptr) ASSERT_FALSE(job.Step());
}

}  // namespace
}  // namespace torqued::server

// Plans that the calling thread evaluates by itself.
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "core/batch/engine.h"
#include "tests/core/batch/random_batch.h"
#include "tests/support/load_model.h"
#include "tests/support/random_robot.h"

namespace torqued {
namespace {

using testing_support::Batch;
using testing_support::ExpectSameBits;
using testing_support::LoadModel;
using testing_support::MakeRandomRobot;

std::shared_ptr<const Model> Arm() {
  const auto robot = MakeRandomRobot(
      42,
      {.shape = testing_support::RandomRobotOptions::Shape::kChain, .dof = 7});
  return LoadModel(robot.urdf, robot.tip);
}

Batch::Results EvaluateHere(const Batch& batch, Engine& engine,
                            std::shared_ptr<CancellationToken> token = nullptr,
                            bool stop_at_first = false) {
  Batch::Results r;
  const EvaluationPlan plan = batch.Plan();
  const EvaluationOutputs out = batch.Prepare(plan, r);
  r.report = engine.EvaluateHere(plan, out, std::move(token), stop_at_first);
  return r;
}

const std::vector<double>& Tau(const Batch::Results& results) {
  return results.tables[static_cast<int>(Output::kTau)];
}

TEST(EvaluateHere, GivesTheBitsOfThePool) {
  for (const int rows : {1, 9, 777}) {
    const Batch batch(Arm(), rows);
    Engine engine({.threads = 2, .chunk_rows = 16});
    ExpectSameBits(EvaluateHere(batch, engine), batch.Evaluate(engine));
  }
}

TEST(EvaluateHere, AsksNoOtherThread) {
  const Batch batch(Arm(), 20'000);
  Engine engine({.threads = 2, .chunk_rows = 16});
  EXPECT_FALSE(EvaluateHere(batch, engine).report.cancelled);
  EXPECT_EQ(engine.pool().chunks_started(), 0);
}

TEST(EvaluateHere, EndsSoonAfterABadRowWhenAsked) {
  Batch batch(Arm(), 1000);
  batch.q[20 * 7] = std::numeric_limits<double>::quiet_NaN();
  Engine engine({.threads = 1, .chunk_rows = 16});
  const auto all = EvaluateHere(batch, engine);
  EXPECT_FALSE(all.report.cancelled);
  EXPECT_NE(Tau(all).back(), -7);

  const auto some = EvaluateHere(batch, engine, nullptr, true);
  EXPECT_TRUE(some.report.cancelled);
  ASSERT_EQ(some.report.issues.size(), 1U);
  EXPECT_EQ(some.report.issues[0].row, 20);
  EXPECT_EQ(Tau(some)[32 * 7], -7) << "row 32 should not have been computed";
}

TEST(EvaluateHere, EndsWhenCancelled) {
  const Batch batch(Arm(), 1000);
  Engine engine({.threads = 1, .chunk_rows = 16});
  auto token = std::make_shared<CancellationToken>();
  token->Cancel();
  const auto results = EvaluateHere(batch, engine, token);
  EXPECT_TRUE(results.report.cancelled);
  EXPECT_EQ(Tau(results)[0], -7);
}

}  // namespace
}  // namespace torqued

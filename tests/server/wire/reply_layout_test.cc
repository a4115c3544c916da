#include "server/wire/reply_layout.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/batch/engine.h"
#include "tests/server/robots.h"

namespace torqued::server {
namespace {

constexpr int kRows = 100;

EvaluationPlan AllQuantities(const std::vector<double>& numbers) {
  EvaluationOptions options;
  for (int i = 0; i < kQuantityCount; ++i) {
    options.quantities.Add(static_cast<Quantity>(i));
  }
  EvaluationInputs inputs;
  inputs.q = {numbers.data(), NumberType::kF64, kRows, 3};
  inputs.tau = inputs.q;
  auto plan =
      EvaluationPlan::Create(ThreeJoints().loaded->model, options, inputs);
  return std::get<EvaluationPlan>(std::move(plan));
}

TEST(ReplyLayoutTest, TheEstimateIsWhatTheResultsTake) {
  const std::vector<double> numbers(3 * kRows, 0.25);
  const EvaluationPlan plan = AllQuantities(numbers);
  Engine engine({.threads = 1});
  for (const Payload payload :
       {Payload::kValues, Payload::kF64, Payload::kF32}) {
    v1::Results results;
    ReplyResults reply(plan, payload, &results);
    engine.Evaluate(plan, reply.outputs());
    reply.Finish();
    const std::int64_t estimate = kRows * ReplyBytesPerRow(plan, payload);
    const auto size = static_cast<std::int64_t>(results.ByteSizeLong());
    EXPECT_GE(size, estimate);
    EXPECT_LE(size, estimate + kReplyFrameBytes / 2);
  }
}

TEST(ReplyLayoutTest, OnlyWhatIsAskedForIsPresent) {
  const std::vector<double> numbers(3, 0.0);
  EvaluationOptions options;
  options.quantities = {Quantity::kBiasForces};
  EvaluationInputs inputs;
  inputs.q = {numbers.data(), NumberType::kF64, 1, 3};
  const auto plan = std::get<EvaluationPlan>(
      EvaluationPlan::Create(ThreeJoints().loaded->model, options, inputs));
  EXPECT_EQ(ReplyBytesPerRow(plan, Payload::kF64), 24);
  v1::Results results;
  ReplyResults reply(plan, Payload::kF64, &results);
  EXPECT_TRUE(results.has_bias());
  EXPECT_FALSE(results.has_tau());
  EXPECT_FALSE(results.has_lambda());
  EXPECT_EQ(reply.outputs()[Output::kTau].data, nullptr);
  EXPECT_EQ(reply.outputs().rank, nullptr);
}

}  // namespace
}  // namespace torqued::server

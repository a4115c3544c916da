#include "server/wire/reply.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/engine/engine.h"
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
    for (const bool sigma_min : {false, true}) {
      const ReplyForm form{payload, sigma_min};
      v1::Results results;
      ReplyResults reply(&results);
      reply.Lay(plan, form);
      engine.Evaluate(plan, reply.outputs());
      reply.Finish();
      const std::int64_t estimate = kRows * ReplyBytesPerRow(plan, form);
      const auto size = static_cast<std::int64_t>(results.ByteSizeLong());
      EXPECT_GE(size, estimate);
      EXPECT_LE(size, estimate + kReplyFrameBytes / 2);
    }
  }
}

TEST(ReplyLayoutTest, SingularValuesAreLaidOutOnlyWhenAskedFor) {
  const std::vector<double> numbers(3 * kRows, 0.25);
  const EvaluationPlan plan = AllQuantities(numbers);
  for (const bool sigma_min : {false, true}) {
    v1::Results results;
    ReplyResults reply(&results);
    reply.Lay(plan, {Payload::kF64, sigma_min});
    reply.Finish();
    EXPECT_EQ(reply.outputs().sigma_min != nullptr, sigma_min);
    EXPECT_EQ(results.sigma_min_size(), sigma_min ? kRows : 0);
    EXPECT_EQ(results.rank_size(), kRows);
    EXPECT_EQ(results.rule_size(), kRows);
  }
}

TEST(ReplyLayoutTest, NothingStaysOfALargerBatchOrAnotherEncoding) {
  const std::vector<double> numbers(3 * kRows, 0.25);
  EvaluationPlan plan = AllQuantities(numbers);
  v1::Results results;
  ReplyResults reply(&results);
  Engine engine({.threads = 1});
  const auto size_of = [&](Payload payload) {
    reply.Lay(plan, {payload});
    engine.Evaluate(plan, reply.outputs());
    reply.Finish();
    return results.ByteSizeLong();
  };
  const std::size_t large = size_of(Payload::kF64);
  size_of(Payload::kValues);
  EvaluationInputs one;
  one.q = one.tau = {numbers.data(), NumberType::kF64, 1, 3};
  ASSERT_FALSE(plan.Rebind(one));
  EXPECT_LT(size_of(Payload::kF32), large / (kRows / 2));
  EXPECT_EQ(results.rank_size(), 1);
  EXPECT_EQ(results.tau().values_size(), 0);
  EXPECT_EQ(results.tau().f64(), "");
  EXPECT_EQ(results.tau().f32().size(), 3u * 4);
}

}  // namespace
}  // namespace torqued::server

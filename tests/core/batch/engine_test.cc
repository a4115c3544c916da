// The contract of the batch engine: a row's answer is its own.
#include "core/engine/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <future>
#include <limits>
#include <utility>

#include "core/engine/evaluation_plan.h"
#include "core/engine/pool.h"
#include "tests/core/lanes/batch_case.h"
#include "tests/support/await.h"

namespace torqued {
namespace {

using testing::Each;
using testing_support::BatchCase;
using testing_support::BatchResult;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Random states of a chain of 7 joints, so that the task has full rank.
BatchCase Arm(std::int64_t rows) {
  return testing_support::MakeRandomCase(7, false, rows);
}

BatchCase TorquesOfArm(std::int64_t rows) {
  BatchCase batch = Arm(rows);
  batch.options.quantities = {Quantity::kInverseDynamics};
  return batch;
}

/// A plan with room for its results, which are -7 before they are computed.
struct Evaluation : BatchResult {
  explicit Evaluation(const BatchCase& batch)
      : plan(std::make_shared<const EvaluationPlan>(batch.Plan())),
        outputs(MakeRoom(*plan, -7)) {
    sigma_min.resize(rank.size());
    outputs.sigma_min = sigma_min.data();
  }

  const std::vector<double>& tau() const { return tables.at(Output::kTau); }

  std::shared_ptr<const EvaluationPlan> plan;
  EvaluationOutputs outputs;
  EvaluationReport report;
};

Evaluation Evaluate(const BatchCase& batch, Engine& engine,
                    const JobOptions& options = {}) {
  Evaluation evaluation(batch);
  evaluation.report =
      engine.Evaluate(*evaluation.plan, evaluation.outputs, options);
  return evaluation;
}

/// On the pool's threads.
std::future<EvaluationReport> Submit(const Evaluation& evaluation,
                                     Engine& engine,
                                     const JobOptions& options) {
  const auto done = std::make_shared<std::promise<EvaluationReport>>();
  engine.Submit(
      evaluation.plan, evaluation.outputs,
      [done](EvaluationReport report) { done->set_value(std::move(report)); },
      options);
  return done->get_future();
}

/// On the pool's threads, and on the calling one.
std::array<Evaluation, 2> BothWays(const BatchCase& batch, Engine& engine,
                                   JobOptions options) {
  Evaluation pooled(batch);
  pooled.report = Await(Submit(pooled, engine, options));
  options.max_threads = 1;
  return {std::move(pooled), Evaluate(batch, engine, options)};
}

void ExpectSameBits(const Evaluation& a, const Evaluation& b) {
  ASSERT_EQ(a.rank.size(), b.rank.size());
  ExpectSameRows(a, b, "this engine");
  EXPECT_EQ(std::memcmp(a.sigma_min.data(), b.sigma_min.data(),
                        a.sigma_min.size() * sizeof(double)),
            0);
}

TEST(Engine, BitsDoNotDependOnThreadsOrChunks) {
  for (const int rows : {1, 9, 777}) {
    const BatchCase batch = Arm(rows);
    Engine reference({.threads = 1, .chunk_rows = 10'000});
    const Evaluation expected = Evaluate(batch, reference);
    for (const int threads : {1, 2, 5}) {
      for (const int chunk : {0, 1, 7, 256}) {
        Engine engine({.threads = threads, .chunk_rows = chunk});
        ExpectSameBits(Evaluate(batch, engine), expected);
        for (const Evaluation& is : BothWays(batch, engine, {})) {
          ExpectSameBits(is, expected);
        }
      }
    }
  }
}

TEST(Engine, ThePackedMassMatrixIsTheLowerHalfOfTheFullOne) {
  Engine engine({.threads = 1});
  for (const bool permuted : {false, true}) {
    BatchCase batch = Arm(21);
    batch.q[8 * 7 + 3] = kNaN;
    if (permuted) TurnJointsAround(batch);
    Evaluation full = Evaluate(batch, engine);
    std::vector<double>& M = full.tables.at(Output::kMassMatrix);
    std::vector<double> lower;
    for (std::size_t k = 0; k < M.size(); ++k) {
      if (k % 7 <= k / 7 % 7) lower.push_back(M[k]);
    }
    M = lower;
    batch.options.mass_matrix_layout = MassMatrixLayout::kPackedLower;
    ExpectSameBits(Evaluate(batch, engine), full);
  }
}

TEST(Engine, PairsOfAncestorsHoldAllThatIsNotZero) {
  Engine engine({.threads = 1});
  constexpr std::int64_t kRows = 21;
  constexpr int n = 13;
  for (const bool permuted : {false, true}) {
    BatchCase batch = testing_support::MakeRandomCase(n, true, kRows);
    batch.options.quantities = {Quantity::kMassMatrix, Quantity::kRegressor};
    if (permuted) TurnJointsAround(batch);
    const auto place = [&](int joint) {  // in the caller's order
      return permuted ? (joint + n - 1) % n : joint;
    };
    batch.wrench.clear();
    Evaluation full = Evaluate(batch, engine);
    batch.options.mass_matrix_layout = MassMatrixLayout::kAncestorPairs;
    const Evaluation pairs = Evaluate(batch, engine);
    auto& M = full.tables.at(Output::kMassMatrix);
    auto& Y = full.tables.at(Output::kRegressor);
    const double* m = pairs.tables.at(Output::kMassMatrix).data();
    const double* y = pairs.tables.at(Output::kRegressor).data();
    for (std::int64_t row = 0; row < kRows; ++row) {
      for (const auto& [i, j] : pairs.plan->AncestorPairs()) {
        const std::int64_t a = row * n + place(i), b = row * n + place(j);
        EXPECT_EQ(*m++, M[a * n + place(j)]);
        M[a * n + place(j)] = M[b * n + place(i)] = 0;
        for (int k = 0; k < 10; ++k) {
          double& entry = Y[(b * n + place(i)) * 10 + k];
          EXPECT_EQ(*y++, entry);
          entry = 0;
        }
      }
    }
    EXPECT_EQ(m, &pairs.tables.at(Output::kMassMatrix).back() + 1);
    EXPECT_THAT(M, Each(0.0));
    EXPECT_THAT(Y, Each(0.0));
  }
}

TEST(Engine, AFrameOfTheBaseLeavesTheOtherResultsAsTheyAre) {
  Engine engine({.threads = 1});
  for (const Precision precision : {Precision::kDouble, Precision::kSingle}) {
    BatchCase batch = Arm(19);
    batch.options.precision = precision;
    batch.options.reference_frame = ReferenceFrame::kLocal;
    batch.wrench.clear();
    const Evaluation moving = Evaluate(batch, engine);
    batch.options.tip_frame = batch.model->frames()[0].name;
    const Evaluation still = Evaluate(batch, engine);
    for (const Output o : {Output::kTau, Output::kMassMatrix,
                           Output::kAcceleration, Output::kBias}) {
      EXPECT_EQ(still.tables.at(o), moving.tables.at(o)) << ToString(o);
    }
    for (const Output o : {Output::kJacobian, Output::kJacobianDrift,
                           Output::kLambda, Output::kEta}) {
      EXPECT_THAT(still.tables.at(o), Each(0.0)) << ToString(o);
    }
    EXPECT_THAT(still.rank, Each(0u));
    const auto& pose = still.tables.at(Output::kPose);
    for (std::size_t k = 0; k < pose.size(); ++k) {
      EXPECT_EQ(pose[k], k % 12 % 5 == 0 ? 1 : 0) << k;
    }
  }
}

TEST(Engine, StopsAtTheFirstBadRowWhenAsked) {
  BatchCase batch = TorquesOfArm(20'000);
  // In every chunk, so that whichever thread is through first stops the rest.
  std::fill(batch.q.begin() + 10 * 7, batch.q.end(), kNaN);
  Engine engine({.threads = 2, .chunk_rows = 16});
  const Evaluation all = Evaluate(batch, engine);
  EXPECT_FALSE(all.report.cancelled);
  EXPECT_NE(all.tau().back(), -7);
  const auto stopped =
      BothWays(batch, engine, {.cancellation = {}, .stop_at_first = true});
  EXPECT_EQ(stopped[1].tau()[16 * 7], -7) << "the chunk was the last";
  for (const Evaluation& is : stopped) {
    EXPECT_TRUE(is.report.cancelled);
    ASSERT_FALSE(is.report.issues.empty());
    EXPECT_EQ(is.report.issues[0].row, 10);
    EXPECT_EQ(is.tau().back(), -7) << "computed after the stop";
  }
}

TEST(Engine, CancellationEndsALargeJobEarly) {
  const BatchCase batch = TorquesOfArm(50'000);
  Engine engine({.threads = 2, .chunk_rows = 16});
  const auto token = std::make_shared<CancellationToken>();
  token->Cancel();
  for (const Evaluation& is :
       BothWays(batch, engine, {.cancellation = token})) {
    EXPECT_TRUE(is.report.cancelled);
    EXPECT_EQ(is.tau()[0], -7);
  }
}

TEST(Engine, ChunksAreWholeBlocksOfLanes) {
  // A block of it takes longer than a chunk should.
  BatchCase batch = testing_support::MakeRandomCase(80, false, 64);
  batch.options.quantities = {Quantity::kInverseDynamics, Quantity::kMassMatrix,
                              Quantity::kForwardDynamics, Quantity::kJacobian,
                              Quantity::kOperationalSpace};
  for (const SimdKernels* kernels : Targets()) {
    Engine engine({.threads = 2, .target = kernels});
    Evaluate(batch, engine);
    EXPECT_LE(engine.pool().chunks_started(), 64 / kernels->lanes_f64)
        << kernels->target;
    EXPECT_GT(engine.pool().chunks_started(), 1);
  }
}

TEST(Engine, RowsThatTakeMillisecondsBlockNoSmallJob) {
  BatchCase batch = testing_support::MakeRandomCase(250, true, 2000);
  batch.options.quantities = {Quantity::kOperationalSpace};
  batch.wrench.clear();
  Engine engine({.threads = 1});
  const auto token = std::make_shared<CancellationToken>();
  const Evaluation large(batch);
  const BatchCase small_batch = Arm(500);
  const Evaluation small(small_batch);
  auto large_done = Submit(large, engine, {.cancellation = token});
  EXPECT_FALSE(Await(Submit(small, engine, {})).cancelled);
  token->Cancel();
  EXPECT_TRUE(Await(large_done).cancelled);
}

TEST(Engine, RowsInDoubtAreNotSmallForLong) {
  BatchCase batch = testing_support::MakeShippedCase("ur5e", 100, 1);
  batch.options.quantities = {Quantity::kOperationalSpace};
  batch.wrench.clear();
  std::ranges::fill(batch.q, 0);
  EXPECT_TRUE(Engine::IsSmall(batch.Plan()));
  Engine engine({.threads = 2});
  const Evaluation evaluation = Evaluate(batch, engine);
  // One run may have been interrupted.
  EXPECT_TRUE(Engine::IsSmall(*evaluation.plan));
  for (int k = 0; k < 3; ++k) {
    engine.Evaluate(*evaluation.plan, evaluation.outputs, {});
  }
  EXPECT_FALSE(Engine::IsSmall(*evaluation.plan));
}

TEST(Engine, ManyThreadsMayCallAtOnce) {
  const BatchCase batch = Arm(300);
  Engine engine({.threads = 2, .chunk_rows = 32});
  const Evaluation expected = Evaluate(batch, engine);
  std::array<std::future<Evaluation>, 16> calls;
  for (auto& call : calls) {
    call = std::async(std::launch::async, Evaluate, batch, std::ref(engine),
                      JobOptions{});
  }
  for (auto& call : calls) ExpectSameBits(Await(call), expected);
}

}  // namespace
}  // namespace torqued

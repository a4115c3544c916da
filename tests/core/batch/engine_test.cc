// The contract of the batch engine: a row's answer is its own.
#include "core/engine/engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <future>
#include <limits>
#include <utility>

#include "core/engine/robot.h"
#include "core/engine/targets.h"
#include "tests/core/lanes/batch_case.h"
#include "tests/support/await.h"

namespace torqued {
namespace {

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
      : plan(std::make_shared<const EvaluationPlan>(
            std::get<EvaluationPlan>(EvaluationPlan::Create(
                batch.model, batch.options, batch.Inputs())))) {
    const auto rows = static_cast<std::size_t>(batch.rows);
    rank.resize(rows);
    sigma_min.resize(rows);
    rule.resize(rows);
    for (int k = 0; k < kOutputCount; ++k) {
      const auto output = static_cast<Output>(k);
      if (!plan->Produces(output)) continue;
      const auto columns = static_cast<std::size_t>(plan->columns(output));
      tables[output].assign(rows * columns, -7);
      outputs[output] = {tables[output].data(), NumberType::kF64};
    }
    outputs.rank = rank.data();
    outputs.sigma_min = sigma_min.data();
    outputs.rule = rule.data();
  }

  const std::vector<double>& tau() const { return tables.at(Output::kTau); }

  std::shared_ptr<const EvaluationPlan> plan;
  EvaluationOutputs outputs;
  EvaluationReport report;
};

Evaluation Evaluate(const BatchCase& batch, Engine& engine) {
  Evaluation evaluation(batch);
  evaluation.report = engine.Evaluate(*evaluation.plan, evaluation.outputs);
  return evaluation;
}

/// On the calling thread.
Evaluation EvaluateHere(const BatchCase& batch, Engine& engine,
                        std::shared_ptr<CancellationToken> token = nullptr,
                        bool stop_at_first = false) {
  Evaluation evaluation(batch);
  evaluation.report = engine.Evaluate(*evaluation.plan, evaluation.outputs,
                                      {.cancellation = std::move(token),
                                       .stop_at_first = stop_at_first,
                                       .max_threads = 1});
  return evaluation;
}

/// On the pool's threads.
std::future<EvaluationReport> Submit(
    const Evaluation& evaluation, Engine& engine,
    std::shared_ptr<CancellationToken> token = nullptr,
    bool stop_at_first = false) {
  const auto done = std::make_shared<std::promise<EvaluationReport>>();
  engine.Submit(
      evaluation.plan, evaluation.outputs,
      [done](EvaluationReport report) { done->set_value(std::move(report)); },
      {.cancellation = std::move(token), .stop_at_first = stop_at_first});
  return done->get_future();
}

bool SameBits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

void ExpectSameBits(const Evaluation& a, const Evaluation& b) {
  ASSERT_EQ(a.rank.size(), b.rank.size());
  for (std::int64_t k = 0; k < std::ssize(a.rank); ++k) {
    EXPECT_TRUE(SameRow(a, k, b, k)) << k;
  }
  EXPECT_TRUE(SameBits(a.sigma_min, b.sigma_min));
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
        ExpectSameBits(EvaluateHere(batch, engine), expected);
      }
    }
  }
}

TEST(Engine, RobotGivesWhatTheBatchGives) {
  const BatchCase batch = Arm(1);
  const auto vector = [](const std::vector<double>& table) {
    return Eigen::Map<const Eigen::VectorXd>(table.data(), std::ssize(table));
  };
  Engine engine({.threads = 1});
  const Eigen::VectorXd tau =
      Robot(batch.model)
          .InverseDynamics(vector(batch.q), vector(batch.v), vector(batch.a),
                           vector(batch.wrench));
  EXPECT_TRUE(
      SameBits({tau.begin(), tau.end()}, Evaluate(batch, engine).tau()));
}

TEST(Engine, ThePackedMassMatrixIsTheLowerHalfOfTheFullOne) {
  Engine engine({.threads = 1});
  for (const bool permuted : {false, true}) {
    BatchCase batch = Arm(21);
    batch.q[8 * 7 + 3] = kNaN;
    if (permuted) {
      for (const auto j : {3u, 0u, 6u, 2u, 5u, 1u, 4u}) {
        batch.options.joint_names.push_back(batch.model->joints()[j].name);
      }
    }
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
    std::array<int, n> place{};  // of a joint in the caller's order
    for (int k = 0; k < n; ++k) {
      const int joint = permuted ? (5 * k + 3) % n : k;
      place[joint] = k;
      batch.options.joint_names.push_back(batch.model->joints()[joint].name);
    }
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
        const std::int64_t a = row * n + place[i], b = row * n + place[j];
        EXPECT_EQ(*m++, M[a * n + place[j]]);
        M[a * n + place[j]] = M[b * n + place[i]] = 0;
        for (int k = 0; k < 10; ++k) {
          double& entry = Y[(b * n + place[i]) * 10 + k];
          EXPECT_EQ(*y++, entry);
          entry = 0;
        }
      }
    }
    EXPECT_EQ(m, &pairs.tables.at(Output::kMassMatrix).back() + 1);
    EXPECT_EQ(M, std::vector(M.size(), 0.0));
    EXPECT_EQ(Y, std::vector(Y.size(), 0.0));
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
      const auto& table = still.tables.at(o);
      EXPECT_EQ(table, std::vector(table.size(), 0.0)) << ToString(o);
    }
    EXPECT_EQ(still.rank, std::vector<std::uint32_t>(19, 0));
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
  const Evaluation all = EvaluateHere(batch, engine);
  EXPECT_FALSE(all.report.cancelled);
  EXPECT_NE(all.tau().back(), -7);
  const Evaluation here = EvaluateHere(batch, engine, nullptr, true);
  EXPECT_EQ(here.tau()[16 * 7], -7) << "the chunk was the last";
  Evaluation pooled(batch);
  pooled.report = Await(Submit(pooled, engine, nullptr, true));
  for (const auto* stopped : {&std::as_const(pooled), &here}) {
    EXPECT_TRUE(stopped->report.cancelled);
    ASSERT_FALSE(stopped->report.issues.empty());
    EXPECT_EQ(stopped->report.issues[0].row, 10);
    EXPECT_EQ(stopped->tau().back(), -7)
        << "the last row should not have been computed";
  }
}

TEST(Engine, CancellationEndsALargeJobEarly) {
  const BatchCase batch = TorquesOfArm(50'000);
  Engine engine({.threads = 2, .chunk_rows = 16});
  const auto token = std::make_shared<CancellationToken>();
  token->Cancel();
  const Evaluation pooled(batch);
  EXPECT_TRUE(Await(Submit(pooled, engine, token)).cancelled);
  EXPECT_EQ(pooled.tau()[0], -7);
  const Evaluation here = EvaluateHere(batch, engine, token);
  EXPECT_TRUE(here.report.cancelled);
  EXPECT_EQ(here.tau()[0], -7);
}

TEST(Engine, ChunksAreWholeBlocksOfLanes) {
  // A block of it takes longer than a chunk should.
  BatchCase batch = testing_support::MakeRandomCase(80, false, 64);
  batch.options.quantities = {Quantity::kInverseDynamics, Quantity::kMassMatrix,
                              Quantity::kForwardDynamics, Quantity::kJacobian,
                              Quantity::kOperationalSpace};
  for (const LaneKernels* kernels : Targets()) {
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
  auto large_done = Submit(large, engine, token);
  EXPECT_FALSE(Await(Submit(small, engine, token)).cancelled);
  token->Cancel();
  EXPECT_TRUE(Await(large_done).cancelled);
}

TEST(Engine, ManyThreadsMayCallAtOnce) {
  const BatchCase batch = Arm(300);
  Engine engine({.threads = 2, .chunk_rows = 32});
  const Evaluation expected = Evaluate(batch, engine);
  std::array<std::future<Evaluation>, 16> calls;
  for (auto& call : calls) {
    call = std::async(std::launch::async, Evaluate, batch, std::ref(engine));
  }
  for (auto& call : calls) ExpectSameBits(Await(call), expected);
}

TEST(Engine, ListsTheFirstBadRowsAndCountsTheRest) {
  BatchCase batch = TorquesOfArm(5000);
  std::ranges::fill(batch.q, kNaN);
  Engine engine({.threads = 2, .chunk_rows = 100});
  const EvaluationReport report = Evaluate(batch, engine).report;
  EXPECT_EQ(report.rows_not_ok, 5000);
  ASSERT_EQ(report.issues.size(), 1000u);
  for (std::size_t k = 0; k < 1000; ++k) {
    EXPECT_EQ(report.issues[k].row, static_cast<std::int64_t>(k));
  }
}

}  // namespace
}  // namespace torqued

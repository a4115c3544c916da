// The contract of the batch engine: a row's answer is its own.
#include "core/batch/engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <future>
#include <limits>

#include "core/batch/robot.h"
#include "core/lanes/targets.h"
#include "tests/core/batch/random_batch.h"
#include "tests/support/await.h"
#include "tests/support/load_model.h"
#include "tests/support/random_robot.h"

namespace torqued {
namespace {

using testing_support::Batch;
using testing_support::ExpectSameBits;
using testing_support::kOutputs;
using testing_support::LoadModel;
using testing_support::MakeRandomRobot;
using testing_support::SameBits;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

class EngineTest : public testing::Test {
 protected:
  EngineTest() {
    // A chain, so that the task has full rank.
    const auto robot = MakeRandomRobot(
        42, {.shape = testing_support::RandomRobotOptions::Shape::kChain,
             .dof = 7});
    model_ = LoadModel(robot.urdf, robot.tip);
  }
  std::shared_ptr<const Model> model_;
};

TEST_F(EngineTest, BitsDoNotDependOnThreadsOrChunks) {
  const Batch batch(model_, 777);
  Engine reference({.threads = 1, .chunk_rows = 10'000});
  const auto expected = batch.Evaluate(reference);
  for (const int threads : {1, 2, 5}) {
    for (const int chunk : {0, 1, 7, 256}) {
      Engine engine({.threads = threads, .chunk_rows = chunk});
      ExpectSameBits(batch.Evaluate(engine), expected);
    }
  }
}

TEST_F(EngineTest, BitsOfARowDoNotDependOnTheBatch) {
  const Batch batch(model_, 100);
  Engine engine({.threads = 2});
  const auto all = batch.Evaluate(engine);
  for (const std::int64_t row : {0, 1, 50, 99}) {
    Batch one(model_, 1);
    const auto take = [row](const std::vector<double>& from, int columns) {
      return std::vector<double>(from.begin() + row * columns,
                                 from.begin() + (row + 1) * columns);
    };
    one.q = take(batch.q, 7);
    one.v = take(batch.v, 7);
    one.a = take(batch.a, 7);
    one.tau = take(batch.tau, 7);
    one.wrench = take(batch.wrench, 6);
    const auto single = one.Evaluate(engine);
    const EvaluationPlan plan = batch.Plan();
    for (const Output o : kOutputs) {
      const auto columns = static_cast<std::size_t>(plan.columns(o));
      EXPECT_TRUE(SameBits(single.tables[static_cast<int>(o)].data(),
                           all.tables[static_cast<int>(o)].data() +
                               static_cast<std::size_t>(row) * columns,
                           columns))
          << ToString(o) << " row " << row;
    }
  }
}

TEST_F(EngineTest, BadRowsNeverTouchTheirNeighbours) {
  Batch batch(model_, 64);
  Engine engine({.threads = 2, .chunk_rows = 8});
  const auto expected = batch.Evaluate(engine);
  batch.q[5 * 7 + 3] = kNaN;
  batch.v[20 * 7 + 1] = std::numeric_limits<double>::infinity();
  batch.a[33 * 7] = -std::numeric_limits<double>::infinity();
  batch.tau[40 * 7 + 6] = kNaN;
  batch.wrench[63 * 6 + 5] = kNaN;
  const auto got = batch.Evaluate(engine);
  const std::vector<std::int64_t> bad = {5, 20, 33, 40, 63};
  const Input inputs[] = {Input::kQ, Input::kV, Input::kA, Input::kTau,
                          Input::kTipWrench};
  const int columns_at_fault[] = {3, 1, 0, 6, 5};
  ASSERT_EQ(got.report.issues.size(), bad.size());
  EXPECT_EQ(got.report.rows_not_ok, 5);
  for (std::size_t k = 0; k < bad.size(); ++k) {
    EXPECT_EQ(got.report.issues[k].row, bad[k]);
    EXPECT_EQ(got.report.issues[k].code, RowCode::kInvalidInput);
    EXPECT_EQ(got.report.issues[k].input, inputs[k]);
    EXPECT_EQ(got.report.issues[k].column, columns_at_fault[k]);
  }
  const EvaluationPlan plan = batch.Plan();
  for (const Output o : kOutputs) {
    const auto columns = static_cast<std::size_t>(plan.columns(o));
    const auto& table = got.tables[static_cast<int>(o)];
    const auto& before = expected.tables[static_cast<int>(o)];
    for (std::int64_t row = 0; row < 64; ++row) {
      const double* at = table.data() + static_cast<std::size_t>(row) * columns;
      if (std::find(bad.begin(), bad.end(), row) != bad.end()) {
        for (std::size_t c = 0; c < columns; ++c)
          EXPECT_TRUE(std::isnan(at[c]));
        EXPECT_EQ(got.rule[static_cast<std::size_t>(row)],
                  TaskRule::kUndefined);
      } else {
        EXPECT_TRUE(SameBits(
            at, before.data() + static_cast<std::size_t>(row) * columns,
            columns));
      }
    }
  }
}

TEST_F(EngineTest, RobotGivesWhatTheBatchGives) {
  const Batch batch(model_, 3);
  Engine engine({.threads = 1});
  const auto all = batch.Evaluate(engine);
  Robot robot(model_);
  const auto row = [](const std::vector<double>& table, int k, int columns) {
    return Eigen::Map<const Eigen::VectorXd>(table.data() + k * columns,
                                             columns);
  };
  for (int k = 0; k < 3; ++k) {
    const Eigen::VectorXd tau =
        robot.InverseDynamics(row(batch.q, k, 7), row(batch.v, k, 7),
                              row(batch.a, k, 7), row(batch.wrench, k, 6));
    EXPECT_TRUE(
        SameBits(tau.data(),
                 all.tables[static_cast<int>(Output::kTau)].data() + k * 7, 7));
  }
}

TEST_F(EngineTest, OneRowIsUsedForAllStates) {
  Batch batch(model_, 20);
  Batch repeated = batch;
  batch.v.resize(7);
  batch.wrench.resize(6);
  for (int row = 1; row < 20; ++row) {
    std::copy_n(batch.v.begin(), 7, repeated.v.begin() + row * 7);
    std::copy_n(batch.wrench.begin(), 6, repeated.wrench.begin() + row * 6);
  }
  Engine engine({.threads = 2});
  ExpectSameBits(batch.Evaluate(engine), repeated.Evaluate(engine));
}

TEST_F(EngineTest, AbsentVelocityAndAccelerationMeanZeros) {
  Batch absent(model_, 5), zeros(model_, 5);
  absent.v.clear();
  absent.a.clear();
  zeros.v.assign(35, 0);
  zeros.a.assign(35, 0);
  Engine engine({.threads = 1});
  const auto x = absent.Evaluate(engine), y = zeros.Evaluate(engine);
  for (const Output o : kOutputs) {
    const auto& a = x.tables[static_cast<int>(o)];
    const auto& b = y.tables[static_cast<int>(o)];
    for (std::size_t k = 0; k < a.size(); ++k) EXPECT_EQ(a[k], b[k]);
  }
}

TEST_F(EngineTest, PermutedNamesPermuteTheAnswers) {
  const Batch canonical(model_, 11);
  Engine engine({.threads = 2});
  const auto expected = canonical.Evaluate(engine);
  const std::vector<int> order = {3, 0, 6, 2, 5, 1, 4};
  Batch permuted(model_, 11);
  for (const int j : order) {
    permuted.options.joint_names.push_back(
        model_->joints()[static_cast<std::size_t>(j)].name);
  }
  const auto permute = [&order](const std::vector<double>& from,
                                std::vector<double>& to) {
    for (std::size_t row = 0; row < from.size() / 7; ++row) {
      for (std::size_t k = 0; k < 7; ++k) {
        to[row * 7 + k] = from[row * 7 + static_cast<std::size_t>(order[k])];
      }
    }
  };
  permute(canonical.q, permuted.q);
  permute(canonical.v, permuted.v);
  permute(canonical.a, permuted.a);
  permute(canonical.tau, permuted.tau);
  permuted.wrench = canonical.wrench;
  const auto got = permuted.Evaluate(engine);
  const auto table = [](const Batch::Results& r, Output o) -> const auto& {
    return r.tables[static_cast<int>(o)];
  };
  for (std::size_t row = 0; row < 11; ++row) {
    for (std::size_t i = 0; i < 7; ++i) {
      const auto oi = static_cast<std::size_t>(order[i]);
      for (const Output o :
           {Output::kTau, Output::kAcceleration, Output::kBias}) {
        EXPECT_EQ(table(got, o)[row * 7 + i], table(expected, o)[row * 7 + oi]);
      }
      for (std::size_t j = 0; j < 7; ++j) {
        const auto oj = static_cast<std::size_t>(order[j]);
        EXPECT_EQ(table(got, Output::kMassMatrix)[row * 49 + i * 7 + j],
                  table(expected, Output::kMassMatrix)[row * 49 + oi * 7 + oj]);
      }
      for (std::size_t r = 0; r < 6; ++r) {
        EXPECT_EQ(table(got, Output::kJacobian)[row * 42 + r * 7 + i],
                  table(expected, Output::kJacobian)[row * 42 + r * 7 + oi]);
      }
    }
  }
  // What has no joint columns does not know about the order.
  EXPECT_EQ(table(got, Output::kLambda), table(expected, Output::kLambda));
  // A bad number is reported at the caller's column, with its joint.
  permuted.q[2 * 7 + 1] = kNaN;
  const auto bad = permuted.Evaluate(engine);
  ASSERT_EQ(bad.report.issues.size(), 1u);
  EXPECT_EQ(bad.report.issues[0].column, 1);
}

TEST_F(EngineTest, ThePackedMassMatrixIsTheLowerHalfOfTheFullOne) {
  Engine engine({.threads = 1});
  constexpr std::int64_t kRows = 21;
  for (const bool permuted : {false, true}) {
    Batch batch(model_, kRows);
    batch.q[8 * 7 + 3] = kNaN;
    if (permuted) {
      for (const int j : {3, 0, 6, 2, 5, 1, 4}) {
        batch.options.joint_names.push_back(
            model_->joints()[static_cast<std::size_t>(j)].name);
      }
    }
    const Batch::Results full = batch.Evaluate(engine);
    batch.options.mass_matrix_layout = MassMatrixLayout::kPackedLower;
    const Batch::Results packed = batch.Evaluate(engine);
    const auto& M = full.tables[static_cast<int>(Output::kMassMatrix)];
    std::vector<double> lower;
    for (std::size_t row = 0; row < kRows; ++row) {
      for (std::size_t i = 0; i < 7; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
          lower.push_back(M[row * 49 + i * 7 + j]);
        }
      }
    }
    const auto& got = packed.tables[static_cast<int>(Output::kMassMatrix)];
    ASSERT_EQ(got.size(), lower.size());
    EXPECT_TRUE(SameBits(got.data(), lower.data(), got.size()));
    // And nothing else changes.
    for (const Output o : {Output::kTau, Output::kLambda}) {
      const auto& a = full.tables[static_cast<int>(o)];
      const auto& b = packed.tables[static_cast<int>(o)];
      EXPECT_TRUE(SameBits(a.data(), b.data(), a.size()));
    }
  }
}

TEST_F(EngineTest, SinglePrecisionArraysCarryTheSameNumbersRounded) {
  Batch batch(model_, 9);
  // Inputs that single precision holds exactly.
  for (auto* table :
       {&batch.q, &batch.v, &batch.a, &batch.tau, &batch.wrench}) {
    for (double& x : *table) x = static_cast<double>(static_cast<float>(x));
  }
  Engine engine({.threads = 1});
  const auto expected = batch.Evaluate(engine);
  std::vector<float> q(batch.q.begin(), batch.q.end());
  EvaluationInputs inputs = batch.Inputs();
  inputs.q = {q.data(), NumberType::kF32, 9, 7};
  EvaluationOptions options = batch.options;
  options.quantities = {Quantity::kMassMatrix};
  inputs.tip_wrench = {};
  auto plan = EvaluationPlan::Create(model_, options, inputs);
  ASSERT_TRUE(std::holds_alternative<EvaluationPlan>(plan));
  std::vector<float> M(9 * 49);
  EvaluationOutputs out;
  out[Output::kMassMatrix] = {M.data(), NumberType::kF32};
  const auto report = engine.Evaluate(std::get<EvaluationPlan>(plan), out);
  EXPECT_EQ(report.rows_not_ok, 0);
  const auto& wide = expected.tables[static_cast<int>(Output::kMassMatrix)];
  for (std::size_t k = 0; k < M.size(); ++k) {
    EXPECT_EQ(M[k], static_cast<float>(wide[k]));
  }
}

TEST_F(EngineTest, AFrameOfTheBaseLeavesTheOtherResultsAsTheyAre) {
  Engine engine({.threads = 1});
  const auto base = std::find_if(
      model_->frames().begin(), model_->frames().end(),
      [](const Frame& frame) { return frame.placement.body == kBase; });
  ASSERT_NE(base, model_->frames().end());
  for (const Precision precision : {Precision::kDouble, Precision::kSingle}) {
    Batch moving(model_, 19);
    moving.options.precision = precision;
    moving.wrench.clear();
    Batch still(moving);
    still.options.tip_frame = base->name;
    const auto expected = moving.Evaluate(engine);
    const auto got = still.Evaluate(engine);
    const auto table = [](const Batch::Results& r, Output o) -> const auto& {
      return r.tables[static_cast<int>(o)];
    };
    for (const Output o : {Output::kTau, Output::kMassMatrix,
                           Output::kAcceleration, Output::kBias}) {
      EXPECT_EQ(table(got, o), table(expected, o)) << ToString(o);
    }
    for (const Output o : {Output::kJacobian, Output::kJacobianDrift,
                           Output::kLambda, Output::kEta}) {
      EXPECT_EQ(table(got, o), std::vector(table(got, o).size(), 0.0))
          << ToString(o);
    }
    EXPECT_EQ(got.rank, std::vector<std::uint32_t>(19, 0));
    // Of the base itself at every state.
    const auto& pose = table(got, Output::kPose);
    const BodyFrame& placement = base->placement;
    for (std::size_t k = 0; k < pose.size(); ++k) {
      const std::size_t row = k % 12 / 4, column = k % 4;
      EXPECT_NEAR(pose[k],
                  column < 3 ? placement.R[3 * row + column] : placement.p[row],
                  1e-7);
    }
  }
}

TEST_F(EngineTest, OverflowIsARowErrorAndNotASilentInfinity) {
  Batch batch(model_, 4);
  batch.v[2 * 7] = 1e200;
  batch.options.quantities = {Quantity::kInverseDynamics};
  Engine engine({.threads = 1});
  const auto got = batch.Evaluate(engine);
  ASSERT_EQ(got.report.issues.size(), 1u);
  EXPECT_EQ(got.report.issues[0].row, 2);
  EXPECT_EQ(got.report.issues[0].code, RowCode::kNotFiniteResult);
  EXPECT_TRUE(
      std::isnan(got.tables[static_cast<int>(Output::kTau)][2 * 7 + 1]));
}

TEST_F(EngineTest, StopsAtTheFirstBadRowWhenAsked) {
  Batch batch(model_, 20'000);
  batch.q[10 * 7] = kNaN;
  Engine engine({.threads = 2, .chunk_rows = 16});
  Batch::Results r;
  auto plan = std::make_shared<const EvaluationPlan>(batch.Plan());
  const auto out = batch.Prepare(*plan, r);
  std::promise<EvaluationReport> promise;
  engine.Submit(
      plan, out,
      [&](const EvaluationReport& report) { promise.set_value(report); },
      nullptr, /*stop_at_first=*/true);
  const auto report = Await(promise.get_future());
  EXPECT_TRUE(report.cancelled);
  ASSERT_FALSE(report.issues.empty());
  EXPECT_EQ(report.issues[0].row, 10);
  EXPECT_EQ(r.tables[static_cast<int>(Output::kTau)].back(), -7)
      << "the last row should not have been computed";
}

TEST_F(EngineTest, CancellationEndsALargeJobEarly) {
  const Batch batch(model_, 50'000);
  Engine engine({.threads = 2, .chunk_rows = 16});
  Batch::Results r;
  auto plan = std::make_shared<const EvaluationPlan>(batch.Plan());
  const auto out = batch.Prepare(*plan, r);
  auto token = std::make_shared<CancellationToken>();
  token->Cancel();
  std::promise<EvaluationReport> promise;
  engine.Submit(
      plan, out,
      [&](const EvaluationReport& report) { promise.set_value(report); },
      token);
  EXPECT_TRUE(Await(promise.get_future()).cancelled);
  EXPECT_EQ(r.tables[static_cast<int>(Output::kTau)][0], -7);
}

TEST_F(EngineTest, ChunksAreWholeBlocksOfLanes) {
  // A block of it takes longer than a chunk should.
  const testing_support::RandomRobotOptions long_chain = {
      .shape = testing_support::RandomRobotOptions::Shape::kChain, .dof = 80};
  const Batch batch(LoadModel(MakeRandomRobot(1, long_chain).urdf), 64);
  for (const LaneKernels* kernels : Targets()) {
    Engine engine({.threads = 2, .target = kernels});
    batch.Evaluate(engine);
    EXPECT_LE(engine.pool().chunks_started(), 64 / kernels->lanes_f64)
        << kernels->target;
    EXPECT_GT(engine.pool().chunks_started(), 1);
  }
}

TEST_F(EngineTest, RowsThatTakeMillisecondsBlockNoSmallJob) {
  const auto robot = MakeRandomRobot(1, {.dof = 250});
  Batch large(LoadModel(robot.urdf, robot.tip), 2000);
  large.options.quantities = {Quantity::kOperationalSpace};
  large.wrench.clear();
  const Batch small(model_, 500);
  Engine engine({.threads = 1});
  const auto token = std::make_shared<CancellationToken>();
  std::promise<EvaluationReport> large_done, small_done;
  Batch::Results of_large, of_small;
  const auto submit = [&](const Batch& batch, Batch::Results& results,
                          std::promise<EvaluationReport>& done) {
    auto plan = std::make_shared<const EvaluationPlan>(batch.Plan());
    const auto outputs = batch.Prepare(*plan, results);
    engine.Submit(
        plan, outputs,
        [&done](EvaluationReport report) { done.set_value(std::move(report)); },
        token);
  };
  submit(large, of_large, large_done);
  submit(small, of_small, small_done);
  EXPECT_FALSE(Await(small_done.get_future()).cancelled);
  token->Cancel();
  EXPECT_TRUE(Await(large_done.get_future()).cancelled);
}

TEST_F(EngineTest, ManyThreadsMayCallAtOnce) {
  const Batch batch(model_, 300);
  Engine engine({.threads = 2, .chunk_rows = 32});
  const auto expected = batch.Evaluate(engine);
  std::array<std::future<Batch::Results>, 16> calls;
  for (auto& call : calls) {
    call =
        std::async(std::launch::async, [&] { return batch.Evaluate(engine); });
  }
  for (auto& call : calls) ExpectSameBits(Await(call), expected);
}

TEST_F(EngineTest, ListsTheFirstBadRowsAndCountsTheRest) {
  Batch batch(model_, 5000);
  for (double& x : batch.q) x = kNaN;
  Engine engine({.threads = 2, .chunk_rows = 100});
  const auto got = batch.Evaluate(engine);
  EXPECT_EQ(got.report.rows_not_ok, 5000);
  ASSERT_EQ(got.report.issues.size(),
            static_cast<std::size_t>(EvaluationReport::kMaxListed));
  for (int k = 0; k < EvaluationReport::kMaxListed; ++k) {
    EXPECT_EQ(got.report.issues[static_cast<std::size_t>(k)].row, k);
  }
}

}  // namespace
}  // namespace torqued

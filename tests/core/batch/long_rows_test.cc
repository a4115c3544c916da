// Rows of large robots: interrupted on the way, for others and for good.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <future>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/batch/engine.h"
#include "core/batch/evaluate_rows.h"
#include "core/lanes/targets.h"
#include "tests/core/batch/random_batch.h"
#include "tests/support/load_model.h"
#include "tests/support/with_armature.h"

namespace torqued {
namespace {

using testing_support::Batch;
using testing_support::RandomRobotOptions;

/// A chain whose mass matrix is regular, whatever its length.
std::shared_ptr<const Model> LongChain(int dof) {
  const RandomRobotOptions chain = {.shape = RandomRobotOptions::Shape::kChain,
                                    .dof = dof};
  return testing_support::WithArmature(
      *testing_support::LoadModel(MakeRandomRobot(1, chain).urdf), 1000);
}

/// A request with all its results.
struct Request {
  Request(const std::shared_ptr<const Model>& model, QuantitySet quantities,
          std::int64_t rows = 1)
      : batch(model, rows) {
    batch.options.quantities = quantities;
    batch.options.tip_frame = "tip";
    batch.wrench.clear();
    plan = std::make_shared<const EvaluationPlan>(batch.Plan());
    for (int k = 0; k < kOutputCount; ++k) {
      const auto output = static_cast<Output>(k);
      if (!plan->Produces(output)) continue;
      auto& table = tables[k];
      table.assign(static_cast<std::size_t>(rows * plan->columns(output)), -7);
      outputs[output] = {table.data(), NumberType::kF64};
    }
  }

  /// By the calling thread.
  void Evaluate(Pauses* pauses) {
    RowWorkspace workspace;
    workspace.pauses = pauses;
    EvaluateRows(*plan, outputs, BestTarget(), 0, plan->rows(), workspace,
                 issues);
  }

  Batch batch;
  std::shared_ptr<const EvaluationPlan> plan;
  EvaluationOutputs outputs;
  std::vector<double> tables[kOutputCount];
  std::vector<RowIssue> issues;
};

void ExpectSameBits(const Request& x, const Request& y) {
  for (int k = 0; k < kOutputCount; ++k) {
    ASSERT_EQ(x.tables[k].size(), y.tables[k].size());
    EXPECT_TRUE(testing_support::SameBits(
        x.tables[k].data(), y.tables[k].data(), x.tables[k].size()))
        << ToString(static_cast<Output>(k));
  }
}

/// Gives up at one of the pauses, and counts.
struct Interruption {
  explicit Interruption(std::int64_t last_pause) : last(last_pause) {}

  static bool Pause(void* what) {
    auto& self = *static_cast<Interruption*>(what);
    if (++self.count < self.last) return false;
    self.pauses.left = kForEver;
    return true;
  }
  std::int64_t OperationsAfter() const { return kForEver - pauses.left; }

  static constexpr long long kForEver = std::int64_t{1} << 60;
  static constexpr long long kEvery = 100'000;
  const std::int64_t last;
  std::int64_t count = 0;
  Pauses pauses{kEvery, Pause, this, kEvery};
};
constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

/// What takes more than some multiple of the joints, and how many products and
/// sums at least: square n² + cube n³.
constexpr struct {
  Quantity quantity;
  double square, cube;
} kLongQuantities[] = {
    {Quantity::kMassMatrix, 4, 0},
    {Quantity::kOperationalSpace, 0, 0.15},
    {Quantity::kCoriolisMatrix, 8, 0},
    {Quantity::kMassMatrixRate, 16, 0},
    {Quantity::kMassMatrixInverse, 0, 0.4},
    {Quantity::kInverseDynamicsDerivatives, 20, 0},
    {Quantity::kForwardDynamicsDerivatives, 0, 2.4},
    {Quantity::kTaskProjection, 20, 0.15},
    {Quantity::kTaskTorque, 2, 0.15},
};

TEST(LongRows, CountTheirProductsAndSums) {
  constexpr int kDof = 300;
  const auto model = LongChain(kDof);
  for (const auto& [quantity, square, cube] : kLongQuantities) {
    Request request(model, {quantity});
    Interruption none(kNever);
    none.pauses.left = Interruption::kForEver;
    request.Evaluate(&none.pauses);
    EXPECT_GT(static_cast<double>(none.OperationsAfter()),
              kDof * kDof * (square + cube * kDof))
        << static_cast<int>(quantity);
  }
}

TEST(LongRows, BitsDoNotDependOnPauses) {
  QuantitySet all;
  for (const auto& [quantity, square, cube] : kLongQuantities) {
    all.Add(quantity);
  }
  // By lanes, and one state at a time.
  for (const int dof : {60, 280}) {
    const auto model = LongChain(dof);
    Request whole(model, all), cut(model, all);
    whole.Evaluate(nullptr);
    Interruption interruption(kNever);
    interruption.pauses.every = 1;
    cut.Evaluate(&interruption.pauses);
    EXPECT_GT(interruption.count, dof);
    ExpectSameBits(cut, whole);
  }
  const auto model = LongChain(60);
  const QuantitySet tables = {Quantity::kChristoffelSymbols,
                              Quantity::kRegressor};
  Request whole(model, tables), cut(model, tables);
  whole.Evaluate(nullptr);
  Interruption interruption(kNever);
  interruption.pauses.every = 1;
  cut.Evaluate(&interruption.pauses);
  EXPECT_GT(interruption.count, 60);
  ExpectSameBits(cut, whole);
}

TEST(LongRows, BitsDoNotDependOnWhatRunsInBetween) {
  const auto model = LongChain(260);
  const QuantitySet quantities = {Quantity::kForwardDynamicsDerivatives,
                                  Quantity::kTaskProjection};
  Request whole(model, quantities, 3);
  whole.Evaluate(nullptr);
  for (const int threads : {1, 3}) {
    Engine engine({.threads = threads});
    std::vector<std::unique_ptr<Request>> calls;
    std::vector<std::future<EvaluationReport>> reports;
    for (int k = 0; k < 12; ++k) {
      // Every other one is small, and of the same robot.
      calls.push_back(k % 2 == 0
                          ? std::make_unique<Request>(model, quantities, 3)
                          : std::make_unique<Request>(
                                model, QuantitySet{Quantity::kMassMatrix}, 40));
      auto done = std::make_shared<std::promise<EvaluationReport>>();
      reports.push_back(done->get_future());
      engine.Submit(
          calls.back()->plan, calls.back()->outputs,
          [done](EvaluationReport report) {
            done->set_value(std::move(report));
          },
          nullptr, false, static_cast<std::uint64_t>(k));
    }
    for (auto& report : reports) EXPECT_FALSE(report.get().cancelled);
    EXPECT_GT(engine.scheduler().pauses(), 100);
    for (int k = 0; k < 12; k += 2) ExpectSameBits(*calls[k], whole);
  }
}

TEST(LongRows, WhatIsGivenUpIsLeftAfterTheColumnUnderWay) {
  for (const int dof : {200, 400}) {
    const auto model = LongChain(dof);
    for (const auto& [quantity, square, cube] : kLongQuantities) {
      SCOPED_TRACE(dof);
      SCOPED_TRACE(static_cast<int>(quantity));
      Request request(model, {quantity});
      Interruption all(kNever);
      request.Evaluate(&all.pauses);
      // In each of its texts.
      for (int part = 1; part <= 8; ++part) {
        const std::int64_t last = 1 + all.count * part / 9;
        if (last > all.count) continue;
        Interruption interruption(last);
        request.Evaluate(&interruption.pauses);
        EXPECT_EQ(interruption.count, last);
        EXPECT_TRUE(interruption.pauses.given_up);
        // Of texts that are begun all the same, the first columns, and what a
        // row counts at its end.
        EXPECT_LE(interruption.OperationsAfter(), 260 * dof)
            << last << " of " << all.count;
      }
    }
  }
}

/// Runs as soon as a long row gives way.
void AtAPause(Engine& engine, std::uint64_t group,
              const std::function<void()>& work) {
  std::promise<void> ran;
  while (engine.scheduler().pauses() == 0) std::this_thread::yield();
  engine.scheduler().Submit(
      [&] {
        work();
        ran.set_value();
      },
      group);
  ran.get_future().wait();
}

class LongRowsUnderWay : public testing::Test {
 protected:
  static constexpr int kRequests = 6;
  static constexpr std::uint64_t kTheirs = 1, kOurs = 2;

  LongRowsUnderWay() {
    const auto model = LongChain(400);
    for (int k = 0; k < kRequests; ++k) {
      auto& request = requests_.emplace_back(std::make_unique<Request>(
          model, QuantitySet{Quantity::kForwardDynamicsDerivatives}));
      auto& token = tokens_.emplace_back(std::make_shared<CancellationToken>());
      auto ended = std::make_shared<std::promise<std::int64_t>>();
      ended_.push_back(ended->get_future());
      engine_.Submit(
          request->plan, request->outputs,
          [this, k, ended](const EvaluationReport& report) {
            if (report.cancelled) ++cancelled_;
            ended->set_value(engine_.scheduler().pauses());
          },
          token, false, kTheirs);
    }
  }
  ~LongRowsUnderWay() override {
    for (const auto& token : tokens_) token->Cancel();
    for (auto& ended : ended_) {
      if (ended.valid()) ended.wait();
    }
  }

  Engine engine_{{.threads = 1}};
  std::vector<std::unique_ptr<Request>> requests_;
  std::vector<std::shared_ptr<CancellationToken>> tokens_;
  std::vector<std::future<std::int64_t>> ended_;  // after so many pauses
  std::atomic<int> cancelled_{0};
};

TEST_F(LongRowsUnderWay, ASmallJobOfAnotherGroupWaitsForOnePiece) {
  std::int64_t before = 0;
  std::promise<std::int64_t> after;
  AtAPause(engine_, kOurs, [&] {
    before = engine_.scheduler().pauses();
    engine_.scheduler().Submit(
        [&] { after.set_value(engine_.scheduler().pauses()); }, kOurs + 1);
  });
  EXPECT_LE(after.get_future().get(), before + 1);
  EXPECT_EQ(cancelled_, 0);
}

TEST_F(LongRowsUnderWay, ACancelledRowEndsAfterThePieceUnderWay) {
  std::int64_t before = 0;
  AtAPause(engine_, kOurs, [&] {
    before = engine_.scheduler().pauses();
    for (const auto& token : tokens_) token->Cancel();
  });
  for (auto& ended : ended_) EXPECT_LE(ended.get(), before + 1);
  EXPECT_GE(cancelled_, kRequests - 1);
}

}  // namespace
}  // namespace torqued

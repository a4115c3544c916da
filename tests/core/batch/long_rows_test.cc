// Rows of large robots: interrupted on the way, for others and for good.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <future>
#include <limits>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/batch/engine.h"
#include "core/batch/evaluate_rows.h"
#include "core/lanes/targets.h"
#include "tests/core/batch/random_batch.h"
#include "tests/support/await.h"
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
    for (auto& report : reports) EXPECT_FALSE(Await(report).cancelled);
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
  Await([&] { return engine.scheduler().pauses() > 0; });
  engine.scheduler().Submit(
      [&] {
        work();
        ran.set_value();
      },
      group);
  Await(ran.get_future());
}

class LongRowsUnderWay {
 public:
  static constexpr int kRequests = 6;
  static constexpr std::uint64_t kTheirs = 1, kOurs = 2;

  explicit LongRowsUnderWay(const LaneKernels& target = BestTarget())
      : engine_({.threads = 1, .target = &target}) {
    const auto model = LongChain(400);
    for (int k = 0; k < kRequests; ++k) {
      auto& request = requests_.emplace_back(std::make_unique<Request>(
          model, QuantitySet{Quantity::kForwardDynamicsDerivatives}));
      tokens_.push_back(std::make_shared<CancellationToken>());
      ended_.push_back(Submit(*request, kTheirs, tokens_.back()));
    }
  }
  ~LongRowsUnderWay() {
    Cancel();
    for (auto& ended : ended_) {
      if (ended.valid()) Await(ended);
    }
  }
  LongRowsUnderWay(const LongRowsUnderWay&) = delete;
  LongRowsUnderWay& operator=(const LongRowsUnderWay&) = delete;

  /// After how many pauses it ended.
  std::future<std::int64_t> Submit(
      const Request& request, std::uint64_t group,
      std::shared_ptr<CancellationToken> token = nullptr) {
    auto ended = std::make_shared<std::promise<std::int64_t>>();
    engine_.Submit(
        request.plan, request.outputs,
        [this, ended](const EvaluationReport& report) {
          if (report.cancelled) ++cancelled_;
          ended->set_value(engine_.scheduler().pauses());
        },
        std::move(token), false, group);
    return ended->get_future();
  }

  void Cancel() {
    for (const auto& token : tokens_) token->Cancel();
  }

  Engine& engine() { return engine_; }
  std::vector<std::future<std::int64_t>>& ended() { return ended_; }
  int cancelled() const { return cancelled_; }

 private:
  Engine engine_;
  std::vector<std::unique_ptr<Request>> requests_;
  std::vector<std::shared_ptr<CancellationToken>> tokens_;
  std::vector<std::future<std::int64_t>> ended_;
  std::atomic<int> cancelled_{0};
};

TEST(LongRowsUnderWay, ASmallJobOfAnotherGroupWaitsForOnePiece) {
  LongRowsUnderWay rows;
  ChunkScheduler& scheduler = rows.engine().scheduler();
  std::int64_t before = 0;
  std::promise<std::int64_t> after;
  AtAPause(rows.engine(), rows.kOurs, [&] {
    before = scheduler.pauses();
    scheduler.Submit([&] { after.set_value(scheduler.pauses()); },
                     rows.kOurs + 1);
  });
  EXPECT_LE(Await(after.get_future()), before + 1);
  EXPECT_EQ(rows.cancelled(), 0);
}

TEST(LongRowsUnderWay, ARowOfHalfAMillisecondWaitsForOnePiece) {
  const auto model = LongChain(50);
  for (const LaneKernels* target : Targets()) {
    SCOPED_TRACE(target->target);
    for (const Quantity quantity : {Quantity::kForwardDynamicsDerivatives,
                                    Quantity::kMassMatrixInverse}) {
      LongRowsUnderWay rows(*target);
      const Request small(model, {quantity});
      // It has pauses of its own.
      Interruption own(kNever);
      Request(model, {quantity}).Evaluate(&own.pauses);
      std::int64_t before = 0;
      std::future<std::int64_t> after;
      AtAPause(rows.engine(), rows.kOurs, [&] {
        before = rows.engine().scheduler().pauses();
        after = rows.Submit(small, rows.kOurs + 1);
      });
      EXPECT_LE(Await(after), before + 1 + 2 * own.count);
    }
  }
}

TEST(LongRowsUnderWay, ACancelledRowEndsAfterThePieceUnderWay) {
  LongRowsUnderWay rows;
  std::int64_t before = 0;
  AtAPause(rows.engine(), rows.kOurs, [&] {
    before = rows.engine().scheduler().pauses();
    rows.Cancel();
  });
  for (auto& ended : rows.ended()) EXPECT_LE(Await(ended), before + 1);
  EXPECT_GE(rows.cancelled(), rows.kRequests - 1);
}

/// Seven joints whose axes are parallel: its tip does not move in all of space
/// in any state, which its number of joints does not tell.
std::shared_ptr<const Model> PlanarArm() {
  std::ostringstream urdf;
  urdf << "<robot name='planar'><link name='base'/>";
  std::string parent = "base";
  for (int k = 1; k <= 7; ++k) {
    const std::string link = k == 7 ? "tip" : "link" + std::to_string(k);
    urdf << "<link name='" << link
         << "'><inertial><origin xyz='0.1 0 0'/><mass value='1'/>"
            "<inertia ixx='0.1' iyy='0.1' izz='0.1' ixy='0' ixz='0' iyz='0'/>"
            "</inertial></link><joint name='joint"
         << k << "' type='continuous'><parent link='" << parent
         << "'/><child link='" << link
         << "'/><origin xyz='0.2 0 0'/><axis xyz='0 0 1'/></joint>";
    parent = link;
  }
  urdf << "</robot>";
  return testing_support::LoadModel(urdf.str());
}

TEST(RowsInDoubt, FewAreInAChunk) {
  struct Case {
    int dof;
    Quantity quantity;
  };
  for (const auto& [dof, quantity] :
       {Case{7, Quantity::kOperationalSpace},
        Case{7, Quantity::kForwardDynamics},
        Case{7, Quantity::kForwardDynamicsDerivatives},
        Case{30, Quantity::kTaskTorque},
        Case{30, Quantity::kForwardDynamics}}) {
    const std::int64_t rows = 4096;
    Request request(LongChain(dof), {quantity}, rows);
    Engine engine({.threads = 1});
    std::promise<void> done;
    engine.Submit(request.plan, request.outputs,
                  [&](const EvaluationReport&) { done.set_value(); });
    Await(done.get_future());
    const double chunks =
        static_cast<double>(engine.scheduler().chunks_started());
    EXPECT_LT(request.plan->NanosecondsInDoubt(rows) / chunks, 1.05e6)
        << dof << " joints, quantity " << static_cast<int>(quantity);
    // As many as they cost if none is.
    EXPECT_GT(request.plan->Nanoseconds(rows) / chunks, 1e4);
  }
}

TEST(RowsInDoubt, AChunkOfThemHasPauses) {
  Request request(PlanarArm(), {Quantity::kOperationalSpace}, 500);
  Engine engine({.threads = 1, .chunk_rows = 500});
  std::promise<void> done;
  engine.Submit(request.plan, request.outputs,
                [&](const EvaluationReport&) { done.set_value(); });
  Await(done.get_future());
  EXPECT_EQ(engine.scheduler().chunks_started(), 1);
  EXPECT_GT(engine.scheduler().pauses(), 3);
}

TEST(LongRows, SmallestSingularValuesOfManyRowsHavePauses) {
  constexpr std::int64_t kRows = 2000;
  Request request(LongChain(7), {Quantity::kOperationalSpace}, kRows);
  Interruption without(kNever);
  request.Evaluate(&without.pauses);
  std::vector<double> sigma_min(kRows, -1);
  request.outputs.sigma_min = sigma_min.data();
  Interruption with(kNever);
  request.Evaluate(&with.pauses);
  EXPECT_GT(sigma_min.back(), 0);
  EXPECT_GT(with.count, without.count + kRows / 100);
  // And are left there.
  sigma_min.assign(kRows, -1);
  Interruption given_up(without.count + 2);
  request.Evaluate(&given_up.pauses);
  const auto found =
      std::ranges::count_if(sigma_min, [](double sigma) { return sigma > 0; });
  EXPECT_GT(found, 0);
  EXPECT_LT(found, kRows / 2);
}

TEST(LongRows, ABadRowEndsAJobThatFewThreadsCompute) {
  constexpr std::int64_t kRows = 3000;
  Request request(LongChain(100), {Quantity::kMassMatrix}, kRows);
  request.batch.q[3] = std::numeric_limits<double>::quiet_NaN();
  Engine engine({.threads = 2});
  std::promise<EvaluationReport> done;
  engine.Submit(
      request.plan, request.outputs,
      [&](EvaluationReport report) { done.set_value(std::move(report)); },
      nullptr, /*stop_at_first=*/true, 0, /*most_threads=*/1);
  const EvaluationReport report = Await(done.get_future());
  EXPECT_TRUE(report.cancelled);
  ASSERT_EQ(report.rows_not_ok, 1);
  EXPECT_EQ(report.issues[0].row, 0);
  EXPECT_EQ(engine.scheduler().chunks_started(), 1);
}

TEST(LongRows, NaNIsWrittenInPieces) {
  constexpr int kDof = 400;
  const auto model = LongChain(kDof);
  constexpr auto kDerivatives = Quantity::kForwardDynamicsDerivatives;
  Request whole(model, {kDerivatives});
  whole.batch.q[7] = std::numeric_limits<double>::quiet_NaN();
  Interruption none(kNever);
  whole.Evaluate(&none.pauses);
  ASSERT_EQ(whole.issues.size(), 1U);
  EXPECT_EQ(whole.issues[0].code, RowCode::kInvalidInput);
  EXPECT_GE(none.count, 3);
  Request cut(model, {kDerivatives});
  cut.batch.q[7] = std::numeric_limits<double>::quiet_NaN();
  Interruption first(1);
  cut.Evaluate(&first.pauses);
  int written = 0, all = 0;
  for (const auto& table : cut.tables) {
    all += static_cast<int>(table.size());
    written += static_cast<int>(std::ranges::count_if(
        table, [](double number) { return std::isnan(number); }));
  }
  EXPECT_EQ(all, 3 * kDof * kDof);
  EXPECT_LT(written, all / 4);
}

}  // namespace
}  // namespace torqued

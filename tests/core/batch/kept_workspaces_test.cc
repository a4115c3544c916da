// How often the memory that large robots are computed in is made, and what
// stays of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <limits>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "core/batch/engine.h"
#include "core/batch/row_workspace.h"
#include "tests/core/batch/random_batch.h"
#include "tests/support/failing_allocations.h"
#include "tests/support/load_model.h"
#include "tests/support/with_armature.h"

namespace torqued {
namespace {

using testing_support::Batch;
using testing_support::LargeAllocations;
using testing_support::RandomRobotOptions;

/// Some states of a chain of so many joints, with room for their torques.
class States {
 public:
  States(int dof, std::int64_t rows,
         QuantitySet quantities = {Quantity::kInverseDynamics},
         Precision precision = Precision::kDouble)
      : batch_(testing_support::WithArmature(
                   *testing_support::LoadModel(
                       testing_support::MakeRandomRobot(
                           1, {.shape = RandomRobotOptions::Shape::kChain,
                               .dof = dof})
                           .urdf),
                   1000),
               rows) {
    batch_.options.quantities = quantities;
    batch_.options.precision = precision;
    batch_.wrench.clear();
    plan_ = std::make_shared<const EvaluationPlan>(batch_.Plan());
    outputs_ = batch_.Prepare(*plan_, results_);
  }

  const std::shared_ptr<const EvaluationPlan>& plan() const { return plan_; }
  const EvaluationOutputs& outputs() const { return outputs_; }

  void PutAllInDoubt() {
    for (std::size_t row = 0; row < batch_.q.size();
         row += static_cast<std::size_t>(plan_->model().nv())) {
      batch_.q[row] = std::numeric_limits<double>::quiet_NaN();
    }
  }

  void EvaluateHere(
      Engine& engine,
      const std::shared_ptr<CancellationToken>& token = nullptr) const {
    EXPECT_FALSE(engine.EvaluateHere(*plan_, outputs_, token).failed);
  }

 private:
  Batch batch_;
  std::shared_ptr<const EvaluationPlan> plan_;
  Batch::Results results_;
  EvaluationOutputs outputs_;
};

/// Parts of a workspace of 200 joints.
constexpr std::size_t kLarge = RowWorkspace::kMostKept / 2;

class LargeRobots : public testing::Test {
 protected:
  LargeRobots() {
    const LargeAllocations large(kLarge);
    Engine engine({.threads = 1, .chunk_rows = 1});
    States(200, 1).EvaluateHere(engine);
    of_a_workspace_ = large.made();
  }

  /// How many are made for the job; none of them is left once it is done.
  int MadeFor(Engine& engine, const States& states, int most_threads = 0) {
    const LargeAllocations large(kLarge);
    std::promise<int> left;
    engine.Submit(
        states.plan(), states.outputs(),
        [&](const EvaluationReport& report) {
          EXPECT_FALSE(report.cancelled || report.failed);
          left.set_value(large.left());
        },
        nullptr, false, 0, most_threads);
    EXPECT_EQ(left.get_future().get(), 0);
    return large.made();
  }

  int of_a_workspace_ = 0;
};

TEST_F(LargeRobots, HaveAWorkspaceForEachThreadAndNotForEachChunk) {
  ASSERT_GE(of_a_workspace_, 1);
  const States states(200, 200);
  for (const int threads : {1, 3}) {
    SCOPED_TRACE(threads);
    Engine engine({.threads = threads, .chunk_rows = 1});
    // A job leaves nothing to those after it.
    for (int round = 0; round < 2; ++round) {
      const int made = MadeFor(engine, states);
      EXPECT_GE(made, of_a_workspace_);
      EXPECT_LE(made, threads * of_a_workspace_);
    }
    {
      const LargeAllocations large(kLarge);
      EXPECT_FALSE(engine.Evaluate(*states.plan(), states.outputs()).failed);
      EXPECT_LE(large.made(), threads * of_a_workspace_);
      EXPECT_EQ(large.left(), 0);
    }
    {
      const LargeAllocations large(kLarge);
      states.EvaluateHere(engine);
      EXPECT_EQ(large.made(), of_a_workspace_);
      EXPECT_EQ(large.left(), 0);
    }
  }
}

TEST_F(LargeRobots, HaveNoMoreWorkspacesThanThreadsThatMayCompute) {
  // Chunks that take long enough to run at a time.
  const States states(200, 12'000);
  Engine engine({.threads = 6, .chunk_rows = 400});
  for (const int most : {1, 2}) {
    EXPECT_LE(MadeFor(engine, states, most), most * of_a_workspace_) << most;
  }
}

/// The largest robot of its kind whose memory is not admitted.
std::unique_ptr<States> JustKept(const LaneKernels& kernels,
                                 QuantitySet quantities, Precision precision,
                                 std::int64_t rows) {
  int dof = 10;
  std::unique_ptr<States> kept;
  for (;; ++dof) {
    auto next = std::make_unique<States>(dof, rows, quantities, precision);
    const auto parts =
        RowWorkspace::PartsFor(*next->plan(), next->outputs(), kernels);
    if (parts.total() > RowWorkspace::kMostKept) break;
    kept = std::move(next);
  }
  return kept;
}

/// Keeps the only thread of an engine until it is opened.
class Blockade {
 public:
  explicit Blockade(Engine& engine) {
    engine.scheduler().Submit(
        [opened = opened_.get_future().share()] { opened.wait(); });
  }
  void Open() { opened_.set_value(); }

 private:
  std::promise<void> opened_;
};

/// Parts of workspaces of some 50 joints.
constexpr std::size_t kPart = 16 << 10;

TEST(OrdinaryRobots, LeaveNothingWithJobsThatWait) {
  constexpr int kJobs = 50, kRows = 3;
  Engine engine({.threads = 1, .chunk_rows = 1});
  const std::unique_ptr<States> kinds[] = {
      JustKept(engine.kernels(), {Quantity::kMassMatrix}, Precision::kSingle,
               kRows),
      JustKept(engine.kernels(), {Quantity::kForwardDynamics},
               Precision::kDouble, kRows)};
  for (const auto& kind : kinds) kind->PutAllInDoubt();

  Blockade blockade(engine);
  const LargeAllocations parts(kPart);
  std::atomic<int> left{-1}, done{0};
  std::promise<void> all_done;
  for (int k = 0; k < kJobs; ++k) {
    const States& states = *kinds[k % 2];
    engine.Submit(states.plan(), states.outputs(),
                  [&](const EvaluationReport& report) {
                    EXPECT_FALSE(report.failed);
                    EXPECT_EQ(report.rows_not_ok, kRows);
                    // The others have begun, and wait for their last turn.
                    if (left < 0) left = parts.left();
                    if (++done == kJobs) all_done.set_value();
                  });
  }
  blockade.Open();
  all_done.get_future().wait();
  EXPECT_GT(left, 0);
  // One workspace, of eight parts at most.
  EXPECT_LE(left, 8);
}

TEST(OrdinaryRobots, TakeNothingNewOnceTheirThreadHasComputed) {
  Engine engine({.threads = 1, .chunk_rows = 1});
  const States ordinary(40, 4), other(20, 4), large(200, 4);
  const auto evaluate = [&engine](const States& states) {
    std::promise<void> done;
    engine.Submit(states.plan(), states.outputs(),
                  [&](const EvaluationReport&) { done.set_value(); });
    done.get_future().wait();
  };
  {
    const LargeAllocations parts(kPart);
    evaluate(ordinary);
    EXPECT_GE(parts.made(), 1);
  }
  evaluate(other);
  {
    const LargeAllocations parts(kPart);
    evaluate(large);
    EXPECT_GE(parts.made(), 1);
  }
  const LargeAllocations parts(kPart);
  evaluate(ordinary);
  evaluate(other);
  EXPECT_EQ(parts.made(), 0);
}

TEST(Jobs, KeepFewOfTheIssuesThatTheyFind) {
  constexpr std::int64_t kChunk = EvaluationReport::kMaxListed;
  constexpr int kChunks = 60;
  Engine engine({.threads = 1, .chunk_rows = kChunk});
  States bad(1, kChunks * kChunk);
  const States good(1, (kChunks - 10) * kChunk);
  bad.PutAllInDoubt();
  Blockade blockade(engine);
  const LargeAllocations lists(kChunk * sizeof(RowIssue));
  std::promise<void> done;
  engine.Submit(bad.plan(), bad.outputs(), [&](const EvaluationReport& report) {
    EXPECT_EQ(report.rows_not_ok, kChunks * kChunk);
    ASSERT_EQ(report.issues.size(), std::size_t{kChunk});
    EXPECT_EQ(report.issues.back().row, kChunk - 1);
    done.set_value();
  });
  int left = -1;
  engine.Submit(good.plan(), good.outputs(),
                [&](const EvaluationReport&) { left = lists.left(); });
  blockade.Open();
  done.get_future().wait();
  // So many chunks of the other were done.
  EXPECT_GE(left, 1);
  EXPECT_LE(left, 3);
}

TEST(Callers, LeaveNoMoreWorkspacesThanThereAreThreads) {
  constexpr int kCallers = 12, kThreads = 2;
  constexpr std::size_t kParts = 16 << 10;
  const States few(40, 1);
  int of_a_workspace = 0;
  {
    const LargeAllocations parts(kParts);
    Engine engine({.threads = kThreads});
    const int of_engine = parts.left();
    few.EvaluateHere(engine);
    of_a_workspace = parts.left() - of_engine;
  }
  ASSERT_GE(of_a_workspace, 1);

  std::vector<std::unique_ptr<States>> states;
  states.reserve(kCallers);
  for (int k = 0; k < kCallers; ++k) {
    states.push_back(std::make_unique<States>(40, 20'000));
  }
  const LargeAllocations parts(kParts);
  Engine engine({.threads = kThreads});
  const int of_engine = parts.left();
  const auto enough = std::make_shared<CancellationToken>();
  std::vector<std::thread> callers;
  callers.reserve(kCallers);
  for (int k = 0; k < kCallers; ++k) {
    callers.emplace_back([&engine, &enough, &mine = *states[k]] {
      while (!enough->cancelled()) mine.EvaluateHere(engine, enough);
    });
  }
  // Until all of them have one at a time.
  const auto give_up =
      std::chrono::steady_clock::now() + std::chrono::seconds(60);
  int most = 0;
  while (most < kCallers * of_a_workspace &&
         std::chrono::steady_clock::now() < give_up) {
    std::this_thread::yield();
    most = std::max(most, parts.left() - of_engine);
  }
  enough->Cancel();
  for (std::thread& caller : callers) caller.join();
  EXPECT_GE(most, kCallers * of_a_workspace);
  EXPECT_LE(parts.left() - of_engine, kThreads * of_a_workspace);
}

}  // namespace
}  // namespace torqued

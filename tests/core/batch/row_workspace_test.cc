// What a thread works in: told before, and given back.
#include "core/batch/row_workspace.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/batch/evaluate_rows.h"
#include "core/lanes/targets.h"
#include "tests/core/batch/random_batch.h"
#include "tests/support/load_model.h"
#include "tests/support/with_armature.h"

namespace torqued {
namespace {

using testing_support::Batch;
using testing_support::RandomRobotOptions;

/// Some rows of a chain of so many joints, all results.
class Work {
 public:
  Work(int dof, QuantitySet quantities, Precision precision)
      : batch_(testing_support::WithArmature(
                   *testing_support::LoadModel(
                       testing_support::MakeRandomRobot(
                           1, {.shape = RandomRobotOptions::Shape::kChain,
                               .dof = dof})
                           .urdf),
                   1000),
               kRows) {
    batch_.options.quantities = quantities;
    batch_.options.precision = precision;
    batch_.options.tip_frame = "tip";
    batch_.wrench.clear();
  }

  /// One row is in doubt, which takes what rows alone take.
  void Evaluate(const LaneKernels& kernels, RowWorkspace* workspace) {
    batch_.q[0] = std::numeric_limits<double>::quiet_NaN();
    const EvaluationPlan plan = batch_.Plan();
    EvaluationOutputs outputs;
    std::vector<std::vector<double>> tables(kOutputCount);
    for (int k = 0; k < kOutputCount; ++k) {
      const auto output = static_cast<Output>(k);
      if (!plan.Produces(output)) continue;
      auto& table = tables[static_cast<std::size_t>(k)];
      table.resize(static_cast<std::size_t>(kRows * plan.columns(output)));
      outputs[output] = {table.data(), NumberType::kF64};
    }
    told_ = RowWorkspace::BytesFor(plan, kernels);
    std::vector<RowIssue> issues;
    EvaluateRows(plan, outputs, kernels, 0, kRows, *workspace, issues);
    EXPECT_FALSE(issues.empty());
  }
  std::int64_t told() const { return told_; }

 private:
  static constexpr std::int64_t kRows = 9;

  Batch batch_;
  std::int64_t told_ = 0;
};

constexpr QuantitySet kSets[] = {
    {Quantity::kInverseDynamics},  {Quantity::kForwardDynamics},
    {Quantity::kMassMatrix},       {Quantity::kMassMatrixInverse},
    {Quantity::kCoriolisMatrix},   {Quantity::kForwardDynamicsDerivatives},
    {Quantity::kOperationalSpace}, {Quantity::kTaskProjection}};

/// Of rows that are put together, and of the list of those in doubt.
constexpr std::int64_t kBeside = 320 << 10;

TEST(RowWorkspaceTest, RowsTakeNoMoreThanWasTold) {
  for (const LaneKernels* kernels : Targets()) {
    for (const int dof : {7, 40, 100, 200}) {
      if (dof > 100 && kernels != &BestTarget()) continue;
      for (const QuantitySet quantities : kSets) {
        for (const Precision precision :
             {Precision::kDouble, Precision::kSingle}) {
          SCOPED_TRACE(std::string(kernels->target) + ", " +
                       std::to_string(dof) + " joints, quantities " +
                       std::to_string(quantities.bits()));
          Work work(dof, quantities, precision);
          RowWorkspace workspace;
          work.Evaluate(*kernels, &workspace);
          EXPECT_LE(workspace.bytes(), work.told() + kBeside);
          // Nor is much more told.
          EXPECT_LE(work.told(), 4 * workspace.bytes() + kBeside);
        }
      }
    }
  }
}

TEST(RowWorkspaceTest, MuchIsGivenBackAndLittleIsKept) {
  RowWorkspace workspace;
  Work small(7, {Quantity::kForwardDynamics}, Precision::kDouble);
  small.Evaluate(BestTarget(), &workspace);
  const std::int64_t kept = workspace.bytes();
  workspace.Trim();
  EXPECT_EQ(workspace.bytes(), kept);
  Work large(200, {Quantity::kForwardDynamicsDerivatives}, Precision::kDouble);
  large.Evaluate(BestTarget(), &workspace);
  EXPECT_GT(workspace.bytes(), 8 * RowWorkspace::kMostKept);
  workspace.Trim();
  EXPECT_LE(workspace.bytes(), RowWorkspace::kMostKept);
  small.Evaluate(BestTarget(), &workspace);
  EXPECT_LE(workspace.bytes(), kept);
}

TEST(RowWorkspaceTest, DoubtsAreListedForSomeRowsAtATime) {
  constexpr std::int64_t kMany = 20'000;
  const auto model = testing_support::LoadModel(
      testing_support::MakeRandomRobot(1, {.dof = 7}).urdf);
  Batch batch(model, kMany);
  batch.options.quantities = {Quantity::kInverseDynamics};
  batch.wrench.clear();
  batch.q[7 * (kMany - 1)] = std::numeric_limits<double>::infinity();
  const EvaluationPlan plan = batch.Plan();
  Batch::Results whole, cut;
  RowWorkspace workspace;
  std::vector<RowIssue> issues;
  EvaluateRows(plan, batch.Prepare(plan, whole), BestTarget(), 0, kMany,
               workspace, issues);
  EXPECT_LE(workspace.doubtful.capacity() * sizeof(DoubtfulRow), 64U << 10);
  ASSERT_EQ(issues.size(), 1U);
  EXPECT_EQ(issues[0].row, kMany - 1);
  const EvaluationOutputs outputs = batch.Prepare(plan, cut);
  for (std::int64_t row = 0; row < kMany; row += 80) {
    EvaluateRows(plan, outputs, BestTarget(), row, row + 80, workspace, issues);
  }
  testing_support::ExpectSameBits(cut, whole);
}

TEST(RowWorkspaceTest, ItsMemoryIsTakenInPieces) {
  struct Counter {
    static bool Pause(void* what) {
      ++static_cast<Counter*>(what)->count;
      return false;
    }
    std::int64_t count = 0;
  } counter;
  constexpr long long kEvery = 100'000;
  Pauses pauses{kEvery, Counter::Pause, &counter, kEvery};
  // Up to 400 KiB in a piece: some 0.1 ms.
  constexpr std::int64_t kPiece = 400 << 10;
  for (const QuantitySet quantities : kSets) {
    // By rows, and of lanes.
    for (const int dof : {400, 200}) {
      SCOPED_TRACE(dof);
      SCOPED_TRACE(quantities.bits());
      Batch batch(testing_support::WithArmature(
                      *testing_support::LoadModel(
                          testing_support::MakeRandomRobot(
                              1, {.shape = RandomRobotOptions::Shape::kChain,
                                  .dof = dof})
                              .urdf),
                      1000),
                  1);
      batch.options.quantities = quantities;
      batch.options.tip_frame = "tip";
      batch.wrench.clear();
      RowWorkspace workspace;
      workspace.pauses = &pauses;
      counter.count = 0;
      workspace.Reserve(batch.Plan());
      workspace.ReserveLanes(dof > 256 ? 64 : 8 << 20);
      workspace.ReserveGathered(1 << 20);
      EXPECT_GE(counter.count, workspace.bytes() / kPiece - 4);
    }
  }
}

}  // namespace
}  // namespace torqued

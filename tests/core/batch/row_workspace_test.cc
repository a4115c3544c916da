// What a thread works in: told before, and given back.
#include "core/batch/row_workspace.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <variant>
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
  Work(int dof, QuantitySet quantities, Precision precision,
       std::int64_t rows = 9, bool all_in_doubt = false, bool wrench = false)
      : batch_(testing_support::WithArmature(
                   *testing_support::LoadModel(
                       testing_support::MakeRandomRobot(
                           1, {.shape = RandomRobotOptions::Shape::kChain,
                               .dof = dof})
                           .urdf),
                   1000),
               rows),
        rows_(rows),
        all_in_doubt_(all_in_doubt) {
    batch_.options.quantities = quantities;
    batch_.options.precision = precision;
    batch_.options.tip_frame = "tip";
    if (!wrench) batch_.wrench.clear();
  }

  /// One row at least is in doubt, which takes what rows alone take.
  void Evaluate(const LaneKernels& kernels, RowWorkspace* workspace) {
    const std::size_t row = batch_.q.size() / static_cast<std::size_t>(rows_);
    for (std::size_t k = 0; k < batch_.q.size(); k += row) {
      batch_.q[k] = std::numeric_limits<double>::quiet_NaN();
      if (!all_in_doubt_) break;
    }
    const EvaluationPlan plan = batch_.Plan();
    EvaluationOutputs outputs;
    std::vector<std::vector<double>> tables(kOutputCount);
    for (int k = 0; k < kOutputCount; ++k) {
      const auto output = static_cast<Output>(k);
      if (!plan.Produces(output)) continue;
      auto& table = tables[static_cast<std::size_t>(k)];
      table.resize(static_cast<std::size_t>(rows_ * plan.columns(output)));
      outputs[output] = {table.data(), NumberType::kF64};
    }
    told_ = RowWorkspace::BytesFor(plan, kernels);
    parts_ = RowWorkspace::PartsFor(plan, outputs, kernels);
    std::vector<RowIssue> issues;
    EvaluateRows(plan, outputs, kernels, 0, rows_, *workspace, issues);
    EXPECT_FALSE(issues.empty());
  }
  /// Without its states, and with them.
  std::int64_t told() const { return told_; }
  const RowWorkspace::Parts& parts() const { return parts_; }

 private:
  Batch batch_;
  std::int64_t rows_;
  bool all_in_doubt_;
  std::int64_t told_ = 0;
  RowWorkspace::Parts parts_;
};

void ExpectNoMore(const RowWorkspace::Parts& parts,
                  const RowWorkspace::Parts& told) {
  EXPECT_LE(parts.scratch, told.scratch);
  EXPECT_LE(parts.numbers, told.numbers);
  EXPECT_LE(parts.packed, told.packed);
  EXPECT_LE(parts.projections, told.projections);
  EXPECT_LE(parts.quantities, told.quantities);
  EXPECT_LE(parts.lanes, told.lanes);
  EXPECT_LE(parts.listed, told.listed);
  EXPECT_LE(parts.gathered, told.gathered);
}

constexpr QuantitySet kSets[] = {
    {Quantity::kInverseDynamics},  {Quantity::kForwardDynamics},
    {Quantity::kMassMatrix},       {Quantity::kMassMatrixInverse},
    {Quantity::kCoriolisMatrix},   {Quantity::kForwardDynamicsDerivatives},
    {Quantity::kOperationalSpace}, {Quantity::kTaskProjection}};

/// Of many rows that are put together, and of the list of those in doubt.
constexpr std::int64_t kBeside = 160 << 10;

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
          ExpectNoMore(workspace.parts(), work.parts());
          EXPECT_LE(work.parts().total(), work.told());
          // Nor is much more told.
          EXPECT_LE(work.told(), 4 * workspace.bytes() + kBeside);
        }
      }
    }
  }
}

TEST(RowWorkspaceTest, ManyRowsInDoubtTakeNoMoreThanWasTold) {
  for (const int dof : {1, 7, 40, 80}) {
    for (const QuantitySet quantities : kSets) {
      for (const Precision precision :
           {Precision::kDouble, Precision::kSingle}) {
        SCOPED_TRACE(std::to_string(dof) + " joints, quantities " +
                     std::to_string(quantities.bits()));
        // A wrench takes the general texts, of what stands beside it others.
        for (const bool wrench : {false, true}) {
          const QuantitySet both =
              quantities |
              QuantitySet{Quantity::kInverseDynamics, Quantity::kMassMatrix};
          Work work(dof, wrench ? both : quantities, precision,
                    dof > 7 ? 300 : 5000, true, wrench);
          RowWorkspace workspace;
          work.Evaluate(BestTarget(), &workspace);
          ExpectNoMore(workspace.parts(), work.parts());
          EXPECT_LE(work.parts().total(), work.told());
        }
      }
    }
  }
}

TEST(RowWorkspaceTest, WhatIsToldOfAPlanDoesNotChangeWithItsInputs) {
  const auto model = testing_support::LoadModel(
      testing_support::MakeRandomRobot(1, {.dof = 7}).urdf);
  Batch batch(model, 3);
  batch.options.precision = Precision::kSingle;
  batch.options.tip_frame = model->frames().back().name;
  const auto without = EvaluationPlan::Create(model, batch.options);
  EXPECT_EQ(
      RowWorkspace::BytesFor(std::get<EvaluationPlan>(without), BestTarget()),
      RowWorkspace::BytesFor(batch.Plan(), BestTarget()));
}

TEST(RowWorkspaceTest, RoomIsMadeWhereBothWouldBeMoreThanIsKept) {
  Work one(25, {Quantity::kCoriolisMatrix}, Precision::kDouble);
  Work other(30, {Quantity::kMassMatrix}, Precision::kSingle);
  RowWorkspace workspace;
  one.Evaluate(BestTarget(), &workspace);
  const RowWorkspace::Parts of_one = workspace.parts();
  // Again the same.
  workspace.MakeRoom(one.parts());
  EXPECT_EQ(workspace.parts(), of_one);
  RowWorkspace alone;
  other.Evaluate(BestTarget(), &alone);
  ASSERT_LE(one.parts().total(), RowWorkspace::kMostKept);
  ASSERT_LE(other.parts().total(), RowWorkspace::kMostKept);
  workspace.MakeRoom(other.parts());
  EXPECT_EQ(workspace.parts(), RowWorkspace().parts());
  other.Evaluate(BestTarget(), &workspace);
  EXPECT_LE(workspace.bytes(), RowWorkspace::kMostKept);
  // Little finds room beside it.
  Work little(3, {Quantity::kInverseDynamics}, Precision::kDouble);
  little.Evaluate(BestTarget(), &workspace);
  const RowWorkspace::Parts of_both = workspace.parts();
  workspace.MakeRoom(little.parts());
  EXPECT_EQ(workspace.parts(), of_both);
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

// Rows that single precision cannot answer.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "tests/core/lanes/batch_case.h"
#include "tests/support/compare.h"

namespace torqued::testing_support {
namespace {

constexpr std::int64_t kRows = 500;

/// Every third wrist of the arm is so close to its singularity that single
/// precision does not see full rank.
BatchCase NearWristSingularity() {
  BatchCase batch = MakeShippedCase("ur5e", kRows, 11);
  batch.options.precision = Precision::kSingle;
  for (int row = 0; row < kRows; row += 3) {
    batch.q[6 * row + 4] = 1e-4 * (1 + row);
  }
  // Other rows are in doubt of other quantities: their torques overflow.
  for (int row = 1; row < kRows; row += 30) batch.a[6 * row] = 3e38;
  return batch;
}

TEST(DoubtfulRows, OfSinglePrecisionHaveTheBitsOfDoublePrecision) {
  for (const LaneKernels* kernels : Targets()) {
    BatchCase batch = NearWristSingularity();
    const BatchResult single = Evaluate(batch, *kernels);
    batch.options.precision = Precision::kDouble;
    const BatchResult exact = Evaluate(batch, *kernels);
    EXPECT_EQ(single.rank, exact.rank);
    int doubtful = 0, other = 0;
    for (std::int64_t row = 0; row < kRows; ++row) {
      for (const Output output : {Output::kLambda, Output::kEta,
                                  Output::kConsistentInverse, Output::kTau}) {
        const bool same =
            RowOf(single, output, row) == RowOf(exact, output, row);
        if ((single.doubts[row] & Bit(QuantityOf(output))) != 0) {
          ++doubtful;
          EXPECT_TRUE(same) << kernels->target << " row " << row;
        } else if (!same) {
          ++other;
        }
      }
    }
    EXPECT_GT(doubtful, 100);
    EXPECT_GT(other, 100);  // else nothing was computed in single precision
  }
}

TEST(DoubtfulRows, DoNotDependOnTheirNeighbours) {
  const BatchCase batch = NearWristSingularity();
  for (const LaneKernels* kernels : Targets()) {
    const BatchResult all = Evaluate(batch, *kernels);
    for (const std::int64_t chunk : {1, 7, 100}) {
      ExpectSameRows(
          Evaluate(batch, *kernels, chunk), all,
          kernels->target + (" in chunks of " + std::to_string(chunk)));
    }
  }
}

/// A trunk of 40 kg with two arms of seven joints and hands of fifteen, whose
/// finger links weigh 4 g and have 1e-7 of the trunk's inertia: 46 joints.
std::shared_ptr<const Model> HumanoidWithHands() {
  TreeBuilder tree;
  constexpr std::array<double, 3> kX = {1, 0, 0}, kY = {0, 1, 0},
                                  kZ = {0, 0, 1};
  const int waist =
      tree.Add(-1, Turning(kZ), Link("", 5, {0, 0, 0.1}, {0.05, 0.05, 0.05}));
  const int trunk = tree.Add(waist, Turning(kY, {0, 0, 0.2}),
                             Link("", 40, {0, 0, 0.2}, {1, 1, 1}));
  for (const double side : {1.0, -1.0}) {
    const std::array<double, 3> axes[] = {kY, kX, kZ, kY, kZ, kX, kY};
    int palm = trunk;
    for (int k = 0; k < 7; ++k) {
      const bool long_link = k == 2 || k == 3;
      const double at = k == 0 ? 0.4 : k == 3 || k == 4 ? -0.28 : 0;
      palm =
          tree.Add(palm, Turning(axes[k], {0, k == 0 ? side * 0.2 : 0.0, at}),
                   long_link ? Link("", 2, {0, 0, -0.14}, {0.012, 0.012, 0.001})
                             : Link("", 0.3, {0, 0, 0}, {1e-4, 1e-4, 1e-4}));
    }
    for (int finger = -2; finger <= 2; ++finger) {
      int on = palm;
      for (int k = 0; k < 3; ++k) {
        on = tree.Add(on, Turning(kY, {0, k == 0 ? 0.02 * finger : 0, -0.03}),
                      Link("", 0.004, {0, 0, -0.015}, {3e-7, 3e-7, 1e-7}));
      }
    }
  }
  return tree.Build();
}

TEST(DoubtfulRows, AreFewOfAHumanoidWithLightFingers) {
  // Pivots are held against what each joint carries, not against each other.
  BatchCase batch = MakeCase(HumanoidWithHands(), kRows, 5);
  ASSERT_EQ(batch.model->nv(), 46);
  batch.wrench.clear();
  batch.options.quantities = {Quantity::kForwardDynamics,
                              Quantity::kForwardDynamicsDerivatives,
                              Quantity::kMassMatrixInverse};
  const BatchResult exact = Evaluate(batch, BestTarget());
  batch.options.precision = Precision::kSingle;
  const BatchResult result = Evaluate(batch, BestTarget());
  const auto sure =
      std::count(result.doubts.begin(), result.doubts.end(), QuantityBits{0});
  EXPECT_GT(sure, kRows * 98 / 100);
  for (std::int64_t row = 0; row < kRows; ++row) {
    for (const Output output :
         {Output::kAcceleration, Output::kMassMatrixInverse,
          Output::kAccelerationByTau}) {
      EXPECT_LT(
          RelativeError(RowOf(result, output, row), RowOf(exact, output, row)),
          1e-4)
          << ToString(output) << " of row " << row;
    }
  }
}

/// Three pairs of joints on one axis, of which the inner link has a thousandth
/// of the outer's inertia, and seven single joints: 13 branches from the base,
/// none of which makes another worse.
std::shared_ptr<const Model> ThreeWeakBranches() {
  TreeBuilder tree;
  const auto add = [&tree](int on, double inertia) {
    return tree.Add(on, Turning({0, 0, 1}),
                    Link("", 1, {}, {inertia, inertia, inertia}));
  };
  for (int k = 0; k < 3; ++k) add(add(-1, 1e-3), 1);
  for (int k = 0; k < 7; ++k) add(-1, 1);
  return tree.Build();
}

TEST(DoubtfulRows, OfATaskAreNotThoseOfManyBranchesTogether) {
  BatchCase batch = MakeCase(ThreeWeakBranches(), 100, 5);
  ASSERT_EQ(batch.model->nv(), 13);
  batch.wrench.clear();
  batch.options.quantities = {Quantity::kOperationalSpace};
  batch.options.tip_frame = "l12";
  batch.options.task.axis_count = 1;
  batch.options.task.axes = {2};  // angular z
  batch.options.precision = Precision::kSingle;
  for (const LaneKernels* kernels : Targets()) {
    const BatchResult result = Evaluate(batch, *kernels);
    EXPECT_EQ(
        std::count(result.doubts.begin(), result.doubts.end(), QuantityBits{0}),
        100)
        << kernels->target;
  }
}

TEST(MassMatrixInverse, IsTheDerivativeOfAccelerationsByTorquesBitByBit) {
  for (const int dof : {6, 7, 11, 20}) {
    BatchCase batch = MakeRandomCase(dof, true, 40);
    batch.options.quantities = {Quantity::kMassMatrixInverse,
                                Quantity::kForwardDynamicsDerivatives};
    for (const Route& route : Routes()) {
      const auto tables = Evaluate(batch, route).tables;
      EXPECT_EQ(tables.at(Output::kMassMatrixInverse),
                tables.at(Output::kAccelerationByTau))
          << dof << " joints, " << route.name;
    }
  }
}

}  // namespace
}  // namespace torqued::testing_support

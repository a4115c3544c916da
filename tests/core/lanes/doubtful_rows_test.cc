// Rows that single precision cannot answer.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/core/lanes/batch_case.h"

namespace torqued::testing_support {
namespace {

constexpr std::int64_t kRows = 500;

/// Every third wrist of the arm is so close to its singularity that single
/// precision does not see full rank.
BatchCase NearWristSingularity() {
  BatchCase batch = MakeShippedCase("ur5e", kRows, 11);
  batch.options.precision = Precision::kSingle;
  for (std::size_t row = 0; row < kRows; row += 3) {
    batch.q[6 * row + 4] = 1e-4 * static_cast<double>(1 + row);
  }
  return batch;
}

/// The numbers of a row of one output.
std::vector<double> Numbers(const BatchResult& result, Output output,
                            std::int64_t row) {
  const auto numbers = RowOf(result, output, row, 1);
  return {numbers.data(), numbers.data() + numbers.size()};
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
      const QuantityBits doubts = single.doubts[static_cast<std::size_t>(row)];
      for (const Output output : {Output::kLambda, Output::kEta,
                                  Output::kConsistentInverse, Output::kTau}) {
        const bool same =
            Numbers(single, output, row) == Numbers(exact, output, row);
        if ((doubts & Bit(QuantityOf(output))) != 0) {
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
      const BatchResult chunks = Evaluate(batch, *kernels, chunk);
      for (std::int64_t row = 0; row < kRows; ++row) {
        ASSERT_TRUE(SameRow(chunks, row, all, row))
            << kernels->target << " row " << row << " in chunks of " << chunk;
      }
    }
  }
}

TEST(DoubtfulRows, AreFewWhereLinksAreLightOrAligned) {
  // Pivots are held against what each joint carries, not against each other.
  BatchCase batch = MakeRandomCase(6, 30, true, kRows);
  batch.options.precision = Precision::kSingle;
  batch.options.quantities = {Quantity::kForwardDynamics,
                              Quantity::kForwardDynamicsDerivatives,
                              Quantity::kMassMatrixInverse};
  const BatchResult result = Evaluate(batch, BestTarget());
  EXPECT_EQ(std::count(result.doubts.begin(), result.doubts.end(), 0U), kRows);
}

TEST(MassMatrixInverse, IsTheDerivativeOfAccelerationsByTorquesBitByBit) {
  for (const int dof : {6, 7, 11, 20}) {
    BatchCase batch =
        MakeRandomCase(static_cast<std::uint64_t>(dof), dof, true, 40);
    batch.options.quantities = {Quantity::kMassMatrixInverse,
                                Quantity::kForwardDynamicsDerivatives};
    for (const Precision precision : {Precision::kDouble, Precision::kSingle}) {
      for (const Texts texts :
           {Texts::kLowered, Texts::kGeneral, Texts::kReference}) {
        for (const LaneKernels* kernels : Targets()) {
          batch.options.precision = precision;
          batch.options.texts = texts;
          const BatchResult result = Evaluate(batch, *kernels);
          for (std::int64_t row = 0; row < batch.rows; ++row) {
            ASSERT_EQ(Numbers(result, Output::kMassMatrixInverse, row),
                      Numbers(result, Output::kAccelerationByTau, row))
                << dof << " joints, text " << static_cast<int>(texts) << ", "
                << kernels->target;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace torqued::testing_support

// Large joint angles keep their digits: nothing is added to them before sine
// and cosine are taken.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "tests/core/lanes/batch_case.h"
#include "tests/core/lanes/reference.h"
#include "tests/support/compare.h"
#include "tests/support/random_robot.h"

namespace torqued::testing_support {
namespace {

constexpr std::int64_t kRows = 40;

/// Robots of revolute joints.
std::vector<BatchCase> Cases() {
  std::vector<BatchCase> cases;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const int dof = 2 + static_cast<int>(seed) % 8;
    cases.push_back(MakeRandomCase(seed, dof, seed % 2 == 0, kRows, 0));
    // What depends on the angles alone, and does not cancel.
    cases.back().options.quantities = {
        Quantity::kMassMatrix, Quantity::kFramePose, Quantity::kJacobian};
    cases.back().wrench.clear();
  }
  return cases;
}

/// Makes angles of about every other row large: half to all of `size`. Numbers
/// of single precision. Returns the rows.
std::vector<bool> EnlargeAngles(double size, BatchCase& batch) {
  Random random(static_cast<std::uint64_t>(batch.model->nq()));
  std::vector<bool> rows;
  const auto n = static_cast<std::size_t>(batch.model->nq());
  for (std::size_t row = 0; row < static_cast<std::size_t>(kRows); ++row) {
    rows.push_back(random.Chance(0.5));
    if (!rows.back()) continue;
    for (std::size_t j = 0; j < n; ++j) {
      if (j != row % n && random.Chance(0.5)) continue;
      const double angle =
          random.Uniform(size / 2, size) * (random.Chance(0.5) ? 1 : -1);
      batch.q[row * n + j] = static_cast<double>(static_cast<float>(angle));
    }
  }
  return rows;
}

std::string SizeName(double size) {
  char text[16];
  std::snprintf(text, sizeof text, "%.0e", size);
  return text;
}

/// The error of every result against the reference, relative to the row's
/// largest entry, by size of the angles; rows without large angles keep their
/// bits.
void AddErrors(Precision precision, const std::vector<double>& sizes,
               LargestErrors& errors) {
  for (const BatchCase& with_normal : Cases()) {
    for (const LaneKernels* kernels : Targets()) {
      BatchCase batch = with_normal;
      batch.options.precision = precision;
      const BatchResult normal = Evaluate(batch, *kernels);
      for (const double size : sizes) {
        batch.q = with_normal.q;
        const std::vector<bool> large = EnlargeAngles(size, batch);
        const BatchResult expected = Reference(batch);
        const BatchResult actual = Evaluate(batch, *kernels);
        for (std::int64_t row = 0; row < kRows; ++row) {
          const std::string where = batch.name + " on " + kernels->target +
                                    ", row " + std::to_string(row);
          if (!large[static_cast<std::size_t>(row)]) {
            EXPECT_TRUE(SameRow(actual, row, normal, row)) << where;
            continue;
          }
          for (const auto& [output, unused] : expected.tables) {
            errors.Add("results at " + SizeName(size),
                       RelativeError(RowOf(actual, output, row, 1),
                                     RowOf(expected, output, row, 1)),
                       where + ", " + std::string(ToString(output)));
          }
        }
      }
    }
  }
}

TEST(LargeAngles, OffsetsOfTheRobotsAreNoQuarterTurns) {
  // Otherwise the tests below would prove nothing.
  int rests = 0, joints = 0;
  for (const BatchCase& batch : Cases()) {
    const auto lowered = batch.model->lowered().f64();
    for (int i = 0; i < lowered.n; ++i) {
      EXPECT_EQ(lowered.bodies[i].motion, JointMotion::kRevolute);
      rests += lowered.bodies[i].q0_rest != 0 ? 1 : 0;
      ++joints;
    }
  }
  EXPECT_GT(rests, joints / 2);
}

void ExpectErrorsBelow(double bound, Precision precision,
                       const std::vector<double>& sizes) {
  LargestErrors errors;
  AddErrors(precision, sizes, errors);
  for (const double size : sizes) {
    errors.ExpectBelow("results at " + SizeName(size), bound);
  }
}

// The last sizes are beyond the range of the lanes' own sine.

TEST(LargeAngles, CostNoDigitInDoublePrecision) {
  ExpectErrorsBelow(6e-15, Precision::kDouble,
                    {1e3, 1e6, 1e9});  // 1.9e-15 seen
}

TEST(LargeAngles, CostNoDigitInSinglePrecision) {
  ExpectErrorsBelow(1.5e-6, Precision::kSingle,
                    {1e3, 8e3, 1e6});  // 4.8e-7 seen
}

}  // namespace
}  // namespace torqued::testing_support

// Large joint angles keep their digits: nothing is added to them before sine
// and cosine are taken.
#include <gtest/gtest.h>

#include "tests/core/lanes/batch_case.h"
#include "tests/support/compare.h"

namespace torqued::testing_support {
namespace {

constexpr std::int64_t kRows = 40;

/// Makes angles of about every other row large: half to all of `size`. Numbers
/// of single precision. Returns the rows.
std::vector<bool> EnlargeAngles(double size, BatchCase& batch) {
  const int n = batch.model->nv();
  Random random(n);
  std::vector<bool> rows;
  for (int row = 0; row < kRows; ++row) {
    rows.push_back(random.Chance(0.5));
    for (int j = 0; j < n && rows.back(); ++j) {
      if (j != row % n && random.Chance(0.5)) continue;
      const auto angle = static_cast<float>(random.Uniform(size / 2, size));
      batch.q[row * n + j] =
          static_cast<double>(random.Chance(0.5) ? angle : -angle);
    }
  }
  return rows;
}

/// The error of every result against the reference, relative to the row's
/// largest entry; rows without large angles keep their bits.
void AddErrors(const BatchCase& batch, const Route& route, double size,
               LargestErrors& errors) {
  BatchCase turned = batch;
  const std::vector<bool> large = EnlargeAngles(size, turned);
  const BatchResult normal = Evaluate(batch, route);
  const BatchResult expected = Reference(turned);
  const BatchResult actual = Evaluate(turned, route);
  for (std::int64_t row = 0; row < kRows; ++row) {
    const std::string where =
        batch.name + " on " + route.name + ", row " + std::to_string(row);
    if (!large[row]) {
      EXPECT_TRUE(SameRow(actual, row, normal, row)) << where;
      continue;
    }
    for (const auto& [output, unused] : expected.tables) {
      errors.Add(std::to_string(size), RowOf(actual, output, row),
                 RowOf(expected, output, row), where);
    }
  }
}

void ExpectErrorsBelow(double bound, Precision precision,
                       const std::vector<double>& sizes) {
  LargestErrors errors;
  int rests = 0, joints = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const int dof = 2 + static_cast<int>(seed) % 8;
    BatchCase batch = MakeRandomCase(seed, dof, seed % 2 == 0, kRows, 0);
    // What depends on the angles alone, and does not cancel.
    batch.options.quantities = {Quantity::kMassMatrix, Quantity::kFramePose,
                                Quantity::kJacobian};
    batch.wrench.clear();
    for (const Route& route : Routes()) {
      if (route.precision != precision) continue;
      for (const double size : sizes) AddErrors(batch, route, size, errors);
    }
    const auto lowered = batch.model->lowered().f64();
    for (int i = 0; i < lowered.n; ++i) {
      EXPECT_EQ(lowered.bodies[i].motion, JointMotion::kRevolute);
      rests += lowered.bodies[i].q0_rest != 0 ? 1 : 0;
    }
    joints += dof;
  }
  EXPECT_GT(rests, joints / 2) << "if all are quarter turns, nothing is proved";
  for (const double size : sizes) {
    errors.ExpectBelow(std::to_string(size), bound);
  }
}

// The last sizes are beyond the range of the lanes' own sine.

TEST(LargeAngles, CostNoDigitInDoublePrecision) {
  ExpectErrorsBelow(6e-15, Precision::kDouble,
                    {1e3, 1e6, 1e9, 1e30});  // 1.9e-15 seen
}

TEST(LargeAngles, CostNoDigitInSinglePrecision) {
  ExpectErrorsBelow(1.5e-6, Precision::kSingle,
                    {1e3, 8e3, 1e6, 1e30});  // 4.8e-7 seen
}

}  // namespace
}  // namespace torqued::testing_support

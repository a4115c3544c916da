// The inverse of the mass matrix.
#include "core/dynamics/mass_inverse-inl.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "core/dynamics/packed_ldlt-inl.h"
#include "tests/core/dynamics/random_cases.h"
#include "tests/support/compare.h"

namespace torqued::testing_support {
namespace {

using Eigen::MatrixXd;

RowMajor InverseOf(const RandomCase& c, const RowMajor& M) {
  const auto n = static_cast<unsigned long>(c.n());
  MassInverseScratch<double> own{};
  Carver counter(nullptr);
  CarveMassInverse(n, counter, own);
  std::vector<std::byte> memory(counter.used());
  Carver carver(memory.data());
  CarveMassInverse(n, carver, own);
  RowMajor inverse = M;
  // Only the lower half is read.
  inverse.triangularView<Eigen::StrictlyUpper>().setConstant(7);
  InvertMassMatrix(c.tree(), own, inverse.data());
  return inverse;
}

TEST(MassInverse, TimesTheMassMatrixIsOne) {
  for (const RandomCase& c : MakeRandomCases({.armature = true})) {
    const RowMajor M = MassMatrixOf(c);
    const RowMajor inverse = InverseOf(c, M);
    const MatrixXd one = MatrixXd::Identity(c.n(), c.n());
    const double tolerance = 20 * kEpsilon * ConditionNumber(M);
    EXPECT_LT(RelativeError(M * inverse, one), tolerance) << c.name;
    EXPECT_LT(RelativeError(inverse * M, one), tolerance) << c.name;
    EXPECT_EQ(inverse, inverse.transpose()) << c.name;
    // Twin: of a slightly heavier robot.
    EXPECT_GT(RelativeError(1.001 * M * inverse, one), 1e-4) << c.name;
  }
}

TEST(MassInverse, PackedFactorsGiveTheSame) {
  for (const RandomCase& c : MakeRandomCases({.armature = true})) {
    const int n = c.n();
    const RowMajor M = MassMatrixOf(c);
    const auto size = static_cast<std::size_t>(PackedSize(n));
    std::vector<double> packed(size), packed_inverse(size), reciprocal(size);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j <= i; ++j) packed[PackedEntry(i, j)] = M(i, j);
    }
    FactorPacked(n, packed.data(), reciprocal.data());
    InvertPacked(n, packed.data(), reciprocal.data(), packed_inverse.data());
    RowMajor expanded(n, n);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        expanded(i, j) = packed_inverse[PackedEntry(i, j)];
      }
    }
    EXPECT_LT(RelativeError(expanded, InverseOf(c, M)),
              20 * kEpsilon * ConditionNumber(M))
        << c.name;
  }
}

}  // namespace
}  // namespace torqued::testing_support

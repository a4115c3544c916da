// The small factorizations against Eigen's.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "core/dynamics/ldlt-inl.h"
#include "tests/support/random_robot.h"

namespace torqued {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing_support::Random;
using RowMajor =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

RowMajor RandomMatrix(Random& random, int rows, int columns) {
  RowMajor A(rows, columns);
  for (int i = 0; i < rows; ++i) {
    A.row(i) = random.Vector(columns, -1, 1).transpose();
  }
  return A;
}

TEST(Ldlt, SolvesWhatEigenSolves) {
  Random random(1);
  for (int n = 1; n <= 12; ++n) {
    const RowMajor A = RandomMatrix(random, n, n);
    const RowMajor M = A * A.transpose() + RowMajor::Identity(n, n);
    const VectorXd b = random.Vector(n, -1, 1);
    RowMajor factors = M;
    VectorXd x = b;
    FactorLdlt(n, factors.data());
    SolveLdlt(n, factors.data(), x.data());
    EXPECT_LT((M * x - b).norm(), 1e-13) << n;
    const VectorXd expected = MatrixXd(M).llt().solve(b);
    EXPECT_LT((x - expected).norm(), 1e-13) << n;
  }
}

TEST(Ldlt, FactorsMultiplyToTheMatrix) {
  Random random(2);
  const int n = 7;
  const RowMajor A = RandomMatrix(random, n, n);
  const RowMajor M = A * A.transpose() + RowMajor::Identity(n, n);
  RowMajor factors = M;
  FactorLdlt(n, factors.data());
  MatrixXd L = factors.triangularView<Eigen::StrictlyLower>();
  L += MatrixXd::Identity(n, n);
  const MatrixXd D = factors.diagonal().asDiagonal();
  EXPECT_LT((L * D * L.transpose() - M).cwiseAbs().maxCoeff(), 1e-14);
}

}  // namespace
}  // namespace torqued

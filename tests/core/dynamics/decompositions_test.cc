// The small factorizations against Eigen's.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/SVD>

#include "core/dynamics/ldlt.h"
#include "core/dynamics/task_rank.h"
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

void ExpectSpectrumOfEigen(const RowMajor& A) {
  const int m = static_cast<int>(A.rows()), n = static_cast<int>(A.cols());
  RowMajor work = A;
  const TaskSpectrum spectrum = DecomposeRows(m, n, work.data());
  const VectorXd expected = Eigen::JacobiSVD<MatrixXd>(A).singularValues();
  const double scale = std::max(1.0, expected.size() > 0 ? expected[0] : 0.0);
  for (int k = 0; k < m; ++k) {
    const double value = k < expected.size() ? expected[k] : 0.0;
    EXPECT_NEAR(spectrum.sigma[k], value, 1e-14 * scale) << m << "x" << n;
  }
  // A Aᵀ u_k = σ_k² u_k, and U is orthogonal.
  MatrixXd U(m, m);
  for (int i = 0; i < m; ++i) {
    for (int k = 0; k < m; ++k) U(i, k) = spectrum.U[i * kMaxTaskAxes + k];
  }
  EXPECT_LT((U.transpose() * U - MatrixXd::Identity(m, m)).norm(), 1e-13);
  for (int k = 0; k < m; ++k) {
    const VectorXd u = U.col(k);
    const double sigma = spectrum.sigma[k];
    EXPECT_LT((A * (A.transpose() * u) - sigma * sigma * u).norm(),
              1e-13 * scale * scale);
  }
}

TEST(RowDecomposition, HasTheSingularValuesOfEigen) {
  Random random(3);
  for (int m = 1; m <= 6; ++m) {
    for (const int n : {1, 2, 3, 6, 7, 30}) {
      ExpectSpectrumOfEigen(RandomMatrix(random, m, n));
    }
  }
}

TEST(RowDecomposition, HandlesDependentAndZeroRows) {
  Random random(4);
  RowMajor A = RandomMatrix(random, 6, 7);
  A.row(2) = 2 * A.row(0) - A.row(1);
  A.row(5).setZero();
  ExpectSpectrumOfEigen(A);
  ExpectSpectrumOfEigen(RowMajor::Zero(6, 7));
  A = RandomMatrix(random, 3, 7);
  A.row(1) = A.row(0);
  ExpectSpectrumOfEigen(A);
}

TEST(RowDecomposition, KeepsSmallSingularValuesApart) {
  // σ = (1, 1e-8): a route over A Aᵀ would lose the small one.
  RowMajor A(2, 3);
  A << 1, 0, 0, 1, 1.4142135623730951e-8, 0;
  A /= std::sqrt(2.0);
  RowMajor work = A;
  const TaskSpectrum spectrum = DecomposeRows(2, 3, work.data());
  const VectorXd expected = Eigen::JacobiSVD<MatrixXd>(A).singularValues();
  EXPECT_NEAR(spectrum.sigma[1] / expected[1], 1, 1e-7);
}

TEST(RowDecomposition, OfNothingIsZero) {
  const TaskSpectrum spectrum = DecomposeRows(6, 0, nullptr);
  EXPECT_EQ(spectrum.sigma[0], 0);
}

}  // namespace
}  // namespace torqued

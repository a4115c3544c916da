// The factorization of mass matrices against Eigen's.
#include "core/dynamics/ltdl-inl.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <vector>

#include "tests/support/random_robot.h"

namespace torqued {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing_support::Random;

/// Joints of a random tree, and a mass matrix of that shape.
struct Case {
  std::vector<LoweredBody<double>> bodies;
  MatrixXd L, M;

  Case(Random& random, int n, bool chain) : bodies(n) {
    L = MatrixXd::Identity(n, n);
    VectorXd D = random.Vector(n, 0.5, 2);
    for (int i = 0; i < n; ++i) {
      // A parent among the last joint and those that carry it: depth-first.
      int parent = i - 1;
      if (!chain) {
        for (int up = random.Index(4); up > 0 && parent != kBase; --up) {
          parent = bodies[parent].parent;
        }
      }
      bodies[i].parent = parent;
      bodies[i].subtree_end = i + 1;
      const VectorXd row = random.Vector(n, -1, 1);
      for (int j = parent; j != kBase; j = bodies[j].parent) {
        L(i, j) = row[j];
        bodies[j].subtree_end = i + 1;
      }
    }
    M = L.transpose() * D.asDiagonal() * L;
  }
};

/// What the factors of M solve and invert.
template <class Joints>
void ExpectFactors(const Joints& joints, const Case& is) {
  const int n = joints.n;
  std::vector<double> packed;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) packed.push_back(is.M(i, j));
  }
  std::vector<double> reciprocal(n);
  FactorLtdl(joints, packed.data(), reciprocal.data());
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) {
      EXPECT_NEAR(packed[PackedEntry(i, j)], is.L(i, j), 1e-11);
    }
    EXPECT_NEAR(packed[PackedEntry(i, i)] * reciprocal[i], 1, 1e-15);
  }
  const MatrixXd expected = is.M.llt().solve(MatrixXd::Identity(n, n));
  const double size = expected.cwiseAbs().maxCoeff();
  const VectorXd b = VectorXd::LinSpaced(n, -1, 2);
  VectorXd x = b;
  SolveLtdl(joints, packed.data(), reciprocal.data(), x.data());
  EXPECT_LT((x - expected * b).norm(), 1e-11 * size) << n;
  MatrixXd inverse(n, n);
  InvertLtdl(joints, packed.data(), reciprocal.data(),
             AllEntries<double>{inverse.data(), n});
  EXPECT_LT((inverse - expected).norm(), 1e-11 * size) << n;
  std::vector<double> half(packed.size());
  InvertLtdl(joints, packed.data(), reciprocal.data(),
             PackedEntries<double>{half.data()});
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      EXPECT_EQ(half[PackedEntry(i, j)], inverse(i, j));
    }
  }
}

TEST(Ltdl, FactorsSolveAndInvertAsEigenDoesForTrees) {
  Random random(1);
  for (int n = 1; n <= 20; ++n) {
    const Case is(random, n, /*chain=*/false);
    ExpectFactors(Branches<double>{is.bodies.data(), n}, is);
  }
}

TEST(Ltdl, FactorsSolveAndInvertAsEigenDoesForChains) {
  Random random(2);
  for (int n = 1; n <= 8; ++n) {
    const Case is(random, n, /*chain=*/true);
    ExpectFactors(Branches<double>{is.bodies.data(), n}, is);
    ExpectFactors(Chain<int>{n}, is);
  }
  ExpectFactors(Chain<Int<7>>{}, Case(random, 7, /*chain=*/true));
}

TEST(Ltdl, UnrolledFactorsOfATreeAreThoseOfItsBranches) {
  Random random(3);
  const Case is(random, 9, /*chain=*/false);
  ExpectFactors(Chain<Int<9>>{}, is);
}

}  // namespace
}  // namespace torqued

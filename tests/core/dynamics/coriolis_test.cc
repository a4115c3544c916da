// Laws of the Coriolis matrix and the Christoffel symbols, with rates that are
// exact to round-off.
#include "core/dynamics/coriolis-inl.h"

#include <gtest/gtest.h>

#include "tests/core/dynamics/random_cases.h"
#include "tests/support/compare.h"

namespace torqued::testing_support {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd Coriolis(const Tree& tree, const VectorXd& q, const VectorXd& v) {
  Configured<double> at = At(tree, q);
  RowMajor C(tree.n, tree.n);
  CoriolisMatrix(tree, v.data(), at.scratch(), at.coriolis(), C.data());
  return C;
}

std::vector<double> Christoffel(const Tree& tree, const VectorXd& q) {
  Configured<double> at = At(tree, q);
  std::vector<double> c(static_cast<std::size_t>(tree.n * tree.n * tree.n), 7);
  ChristoffelSymbols(tree, at.scratch(), c.data());
  return c;
}

TEST(CoriolisMatrixLaws, TimesTheVelocityIsTheBias) {
  for (const RandomCase& c : MakeRandomCases()) {
    // The quadratic bias.
    const VectorXd expected = Torques(c.tree(), DynamicsTerms{}, c.state.q,
                                      c.state.v.data(), nullptr);
    const MatrixXd C = Coriolis(c.tree(), c.state.q, c.state.v);
    EXPECT_LT(RelativeError(C * c.state.v, expected, 1e-3), 1e-13) << c.name;
    // Twin: the transposed matrix gives something else.
    if (c.n() == 1) continue;
    EXPECT_GT(RelativeError(C.transpose() * c.state.v, expected, 1e-3), 1e-6)
        << c.name;
  }
}

TEST(CoriolisMatrixLaws, MdotMinusTwoCIsSkew) {
  for (const RandomCase& c : MakeRandomCases()) {
    const VectorXd& v = c.state.v;
    const MatrixXd rate = MassRate(c, v);
    MatrixXd C = Coriolis(c.tree(), c.state.q, v);
    const double scale = std::max(C.cwiseAbs().maxCoeff(), 1e-3);
    const auto symmetric_part = [&] {
      const MatrixXd difference = rate - 2 * C;
      return (difference + difference.transpose()).cwiseAbs().maxCoeff();
    };
    EXPECT_LT(symmetric_part(), 1e-13 * scale) << c.name;
    // Twin: a matrix with the same C v that is not Christoffel's.
    if (c.n() == 1) continue;
    const VectorXd across =
        VectorXd::Unit(c.n(), 1) * v[0] - VectorXd::Unit(c.n(), 0) * v[1];
    C += scale * VectorXd::Unit(c.n(), 0) * across.transpose();
    EXPECT_GT(symmetric_part(), 1e-3 * scale) << c.name;
  }
}

TEST(CoriolisMatrixLaws, SumWithTheTransposedIsTheRateOfTheMassMatrix) {
  for (const RandomCase& c : MakeRandomCases({.armature = true})) {
    const RowMajor C = Coriolis(c.tree(), c.state.q, c.state.v);
    RowMajor rate(c.n(), c.n());
    MassMatrixRate(c.n(), C.data(), rate.data());
    EXPECT_EQ(rate, rate.transpose()) << c.name;
    const MatrixXd expected = MassRate(c, c.state.v);
    const double scale = std::max(C.cwiseAbs().maxCoeff(), 1e-3);
    EXPECT_LT(RelativeError(rate, expected, scale), 1e-13) << c.name;
    // Twin: along another velocity.
    if (expected.norm() == 0) continue;
    EXPECT_GT(RelativeError(rate, MassRate(c, 1.01 * c.state.v)), 1e-3)
        << c.name;
  }
}

TEST(CoriolisMatrixLaws, IsZeroBetweenBranchesAndWithoutVelocity) {
  int zeros = 0;
  for (const RandomCase& c : MakeRandomCases()) {
    const MatrixXd C = Coriolis(c.tree(), c.state.q, c.state.v);
    const auto carries = [&c](int i, int j) {
      while (j > i) j = c.bodies[j].parent;
      return i == j;
    };
    for (int i = 0; i < c.n(); ++i) {
      for (int j = 0; j < c.n(); ++j) {
        if (carries(i, j) || carries(j, i)) continue;
        EXPECT_EQ(C(i, j), 0) << c.name;
        ++zeros;
      }
    }
    EXPECT_EQ(Coriolis(c.tree(), c.state.q, 0 * c.state.v).norm(), 0) << c.name;
    Configured<double> at = At(c.tree(), c.state.q);
    RowMajor still = RowMajor::Constant(c.n(), c.n(), 7);
    CoriolisMatrix(c.tree(), static_cast<const double*>(nullptr), at.scratch(),
                   at.coriolis(), still.data());
    EXPECT_EQ(still.norm(), 0) << c.name;
  }
  EXPECT_GT(zeros, 20);
}

TEST(CoriolisMatrixLaws, ArmatureDoesNotEnter) {
  const auto plain = MakeRandomCases(),
             geared = MakeRandomCases({.armature = 1});
  for (std::size_t k = 0; k < plain.size(); ++k) {
    const State& s = plain[k].state;
    EXPECT_EQ(Coriolis(plain[k].tree(), s.q, s.v),
              Coriolis(geared[k].tree(), s.q, s.v));
    EXPECT_EQ(Christoffel(plain[k].tree(), s.q),
              Christoffel(geared[k].tree(), s.q));
  }
}

TEST(ChristoffelLaws, SymbolsAreMadeOfTheDerivativesOfTheMassMatrix) {
  for (const RandomCase& c : MakeRandomCases()) {
    const int n = c.n();
    std::vector<MatrixXd> dM;  // by q_k
    double scale = 1e-3;
    for (int k = 0; k < n; ++k) {
      dM.push_back(MassRate(c, VectorXd::Unit(n, k)));
      scale = std::max(scale, dM.back().cwiseAbs().maxCoeff());
    }
    const std::vector<double> symbols = Christoffel(c.tree(), c.state.q);
    double error = 0, h_error = 0;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        for (int k = 0; k < n; ++k) {
          const double c_ijk = symbols[(i * n + j) * n + k];
          EXPECT_EQ(c_ijk, symbols[(i * n + k) * n + j]) << c.name;
          const double expected =
              0.5 * (dM[k](i, j) + dM[j](i, k) - dM[i](j, k));
          error = std::max(error, std::abs(c_ijk - expected));
          const double h_ijk = dM[k](i, j) - 0.5 * dM[i](j, k);
          h_error = std::max(h_error, std::abs(c_ijk - h_ijk));
        }
      }
    }
    EXPECT_LT(error, 1e-13 * scale) << c.name;
    // Twin: the coefficients that are not symmetric in j and k.
    if (n > 1) {
      EXPECT_GT(h_error, 1e-4 * scale) << c.name;
    }
  }
}

TEST(ChristoffelLaws, TimesTheVelocityIsTheCoriolisMatrix) {
  for (const RandomCase& c : MakeRandomCases()) {
    const int n = c.n();
    const std::vector<double> symbols = Christoffel(c.tree(), c.state.q);
    const MatrixXd sum =
        (Eigen::Map<const RowMajor>(symbols.data(), n * n, n) * c.state.v)
            .reshaped<Eigen::RowMajor>(n, n);
    const MatrixXd C = Coriolis(c.tree(), c.state.q, c.state.v);
    EXPECT_LT(RelativeError(sum, C, 1e-3), 1e-13) << c.name;
    // Twin.
    if (n > 1) {
      EXPECT_GT(RelativeError(sum.transpose(), C, 1e-3), 1e-6) << c.name;
    }
  }
}

}  // namespace
}  // namespace torqued::testing_support

// Derivatives against differences of Orocos KDL.
#include <gtest/gtest.h>

#include <string>

#include "tests/oracles/kdl_comparison.h"
#include "tests/oracles/quantities.h"
#include "tests/support/compare.h"

namespace torqued::testing_support {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Columns are the derivatives of f(x) by the entries of x, by differences of
/// fourth order.
template <typename Function>
MatrixXd Gradient(const Function& f, const VectorXd& x) {
  constexpr double kStep = 1e-3;
  MatrixXd gradient;
  for (Eigen::Index k = 0; k < x.size(); ++k) {
    const auto at = [&](double steps) -> VectorXd {
      return f(x + steps * kStep * VectorXd::Unit(x.size(), k));
    };
    const VectorXd column =
        (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * kStep);
    gradient.conservativeResize(column.size(), k + 1);
    gradient.col(k) = column;
  }
  return gradient;
}

// What is seen is the rounding of the differences, some thousand times that of
// KDL, and most where accelerations are large.
TEST(KdlTest, DerivativesAreDifferencesOfKdl) {
  LargestErrors errors;
  ForStates(Chains(), [&](const TestRobot& robot, const State& s,
                          const std::string& where) {
    const KdlChain theirs = MakeChain(robot);
    const Quantities ours(robot, s, ReferenceFrame::kLocal, /*wrench=*/true);
    const Eigen::Index n = s.v.size();
    const auto compare = [&](const std::string& what, Output output,
                             const MatrixXd& expected) {
      // A derivative may vanish: errors of small ones are absolute.
      errors.Add(what, RelativeError(ours.Matrix(output, n), expected, 1),
                 where);
    };
    compare("dtau/dq", Output::kTauByQ,
            Gradient(
                [&](const VectorXd& q) {
                  return theirs.InverseDynamics(q, s.v, s.a, s.wrench);
                },
                s.q));
    compare("dtau/dv", Output::kTauByV,
            Gradient(
                [&](const VectorXd& v) {
                  return theirs.InverseDynamics(s.q, v, s.a, s.wrench);
                },
                s.v));
    compare("da/dq", Output::kAccelerationByQ,
            Gradient(
                [&](const VectorXd& q) {
                  return theirs.ForwardDynamics(q, s.v, s.tau, s.wrench);
                },
                s.q));
    compare("da/dv", Output::kAccelerationByV,
            Gradient(
                [&](const VectorXd& v) {
                  return theirs.ForwardDynamics(s.q, v, s.tau, s.wrench);
                },
                s.v));
    compare("da/dtau", Output::kAccelerationByTau,
            Gradient(
                [&](const VectorXd& tau) {
                  return theirs.ForwardDynamics(s.q, s.v, tau, s.wrench);
                },
                s.tau));
    // dm_ij/dq_k at (i n + j, k).
    const MatrixXd gradient = Gradient(
        [&](const VectorXd& q) -> VectorXd {
          return theirs.MassMatrix(q).reshaped();
        },
        s.q);
    const VectorXd rate = gradient * s.v;
    compare("dM/dt", Output::kMassMatrixRate, rate.reshaped(n, n));
    MatrixXd symbols(n * n, n);
    for (Eigen::Index i = 0; i < n; ++i) {
      for (Eigen::Index j = 0; j < n; ++j) {
        for (Eigen::Index k = 0; k < n; ++k) {
          symbols(i * n + j, k) =
              (gradient(i * n + j, k) + gradient(i * n + k, j) -
               gradient(j * n + k, i)) /
              2;
        }
      }
    }
    errors.Add(
        "c_ijk",
        RelativeError(ours.Matrix(Output::kChristoffel, n * n), symbols, 1),
        where);
  });
  errors.ExpectBelow("dtau/dq", 2e-11);
  errors.ExpectBelow("dtau/dv", 2e-10);
  errors.ExpectBelow("da/dq", 3e-8);
  errors.ExpectBelow("da/dv", 2e-8);
  errors.ExpectBelow("da/dtau", 1e-10);
  errors.ExpectBelow("dM/dt", 3e-11);
  errors.ExpectBelow("c_ijk", 1e-11);
}

}  // namespace
}  // namespace torqued::testing_support

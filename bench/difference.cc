#include "bench/difference.h"

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace torqued::bench {
namespace {

using Rows =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Table = Eigen::Map<const Rows>;

/// Of the six components of a spatial vector, ours by theirs.
int Component(int theirs, bool linear_first) {
  return linear_first ? (theirs + 3) % 6 : theirs;
}

/// Their result in our order of joints and components.
Rows Reordered(const Rows& theirs, Output output, const LoadedPeer& peer) {
  const bool linear_first = peer.peer->linear_first();
  const auto row_of = [&](int i) {
    const bool spatial = output == Output::kJacobian ||
                         output == Output::kLambda || output == Output::kEta;
    return spatial ? Component(i, linear_first) : peer.joints[i];
  };
  const auto column_of = [&](int j) {
    if (theirs.cols() == 1) return 0;
    return output == Output::kLambda ? Component(j, linear_first)
                                     : peer.joints[j];
  };
  Rows ours(theirs.rows(), theirs.cols());
  for (int i = 0; i < theirs.rows(); ++i) {
    for (int j = 0; j < theirs.cols(); ++j) {
      ours(row_of(i), column_of(j)) = theirs(i, j);
    }
  }
  return ours;
}

/// Rows and columns of one result of a state.
std::pair<int, int> ShapeOf(Output output, int n) {
  switch (output) {
    case Output::kMassMatrix:
      return {n, n};
    case Output::kJacobian:
      return {6, n};
    case Output::kLambda:
      return {6, 6};
    case Output::kEta:
      return {6, 1};
    default:
      return {n, 1};
  }
}

double Relative(const Rows& a, const Table& b) {
  const double difference = (a - b).cwiseAbs().maxCoeff();
  const double scale = b.cwiseAbs().maxCoeff();
  if (!a.allFinite() || !b.allFinite()) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return scale > 0 ? difference / scale : difference;
}

/// Keeps NaN.
void Raise(double& largest, double value) {
  if (!(value <= largest)) largest = value;
}

double Condition(const Table& lambda) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(
      lambda, Eigen::EigenvaluesOnly);
  const auto values = solver.eigenvalues().cwiseAbs();
  return values.maxCoeff() / values.minCoeff();
}

}  // namespace

Difference DifferenceOf(LoadedPeer& theirs, const EvaluationRun& ours,
                        Workload workload) {
  const int n = theirs.states.columns;
  Difference result;
  for (std::int64_t row = 0; row < theirs.states.rows; ++row) {
    theirs.peer->Compute(workload, RowOf(theirs.states, row));
    double condition = 1;
    if (workload == Workload::kOperationalSpace) {
      condition =
          Condition(Table(ours.result(Output::kLambda) + row * 36, 6, 6));
    }
    for (const Output output : OutputsOf(workload)) {
      const auto [rows, columns] = ShapeOf(output, n);
      Rows numbers(rows, columns);
      theirs.peer->Copy(output, numbers.data());
      const double difference = Relative(
          Reordered(numbers, output, theirs),
          Table(ours.result(output) + row * rows * columns, rows, columns));
      const bool solved = output == Output::kLambda || output == Output::kEta;
      Raise(result.largest, difference);
      Raise(result.conditioned, solved ? difference / condition : difference);
    }
  }
  return result;
}

}  // namespace torqued::bench

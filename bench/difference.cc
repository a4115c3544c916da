#include "bench/difference.h"

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace torqued::bench {
namespace {

using Numbers = Eigen::VectorXd;
using Table =
    Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic>>;

/// What an index of a result counts.
enum class Axis : std::uint8_t { kJoints, kSpatial, kOther };

struct Dimension {
  Axis axis;
  int size;
};

/// The indices of a result of n joints, the last one fastest.
std::vector<Dimension> DimensionsOf(Output output, int n) {
  std::vector<Dimension> dimensions;
  for (const signed char size : RowOf(output).shape.sizes) {
    if (size == table::kSymmetric) {
      dimensions.push_back(dimensions.front());
    } else if (size == table::kJoints) {
      dimensions.push_back({Axis::kJoints, n});
    } else if (size == table::kAxes || size == 6) {
      dimensions.push_back({Axis::kSpatial, 6});
    } else if (size != 0) {
      dimensions.push_back({Axis::kOther, size});
    }
  }
  return dimensions;
}

int SizeOf(const std::vector<Dimension>& dimensions) {
  int size = 1;
  for (const Dimension& d : dimensions) size *= d.size;
  return size;
}

/// Their result in our order of joints and components.
Numbers Reordered(const Numbers& theirs,
                  const std::vector<Dimension>& dimensions,
                  const LoadedPeer& peer) {
  const auto ours_of = [&](Axis axis, int index) {
    if (axis == Axis::kJoints) return peer.joints[index];
    const bool swapped = axis == Axis::kSpatial && peer.peer->linear_first();
    return swapped ? (index + 3) % 6 : index;
  };
  Numbers ours(theirs.size());
  for (int k = 0; k < theirs.size(); ++k) {
    int to = 0, left = k, stride = 1;
    for (auto d = dimensions.rbegin(); d != dimensions.rend(); ++d) {
      to += stride * ours_of(d->axis, left % d->size);
      left /= d->size;
      stride *= d->size;
    }
    ours[to] = theirs[k];
  }
  return ours;
}

double Relative(const Numbers& a, const Table& b) {
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

Difference DifferenceOf(const LoadedPeer& theirs, const EvaluationRun& ours,
                        Quantity quantity) {
  const int n = theirs.states.columns;
  Difference result;
  for (std::int64_t row = 0; row < theirs.states.rows; ++row) {
    theirs.Compute(quantity, row);
    double condition = 1;
    if (quantity == Quantity::kOperationalSpace) {
      condition =
          Condition(Table(ours.result(Output::kLambda) + row * 36, 6, 6));
    }
    for (const Output output : OutputsOf(quantity)) {
      const std::vector<Dimension> dimensions = DimensionsOf(output, n);
      const int size = SizeOf(dimensions);
      Numbers numbers(size);
      theirs.peer->Copy(output, numbers.data());
      const double difference =
          Relative(Reordered(numbers, dimensions, theirs),
                   Table(ours.result(output) + row * size, size, 1));
      const bool solved = output == Output::kLambda || output == Output::kEta;
      Raise(result.largest, difference);
      Raise(result.conditioned, solved ? difference / condition : difference);
    }
  }
  return result;
}

}  // namespace torqued::bench

// For libraries that keep their results in Eigen's types. A header, so that
// every module compiles it with its own options.
#pragma once

#include <Eigen/Core>

#include "tests/support/libraries/task_solver.h"

namespace torqued::bench {

using oracles::TaskSolver;
using oracles::TaskVector;
using TaskJacobian = Eigen::Matrix<double, 6, Eigen::Dynamic>;

/// Row-major numbers of a matrix or a vector.
inline void CopyMatrix(const Eigen::Ref<const Eigen::MatrixXd>& m,
                       double* numbers) {
  Eigen::Map<
      Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
      numbers, m.rows(), m.cols()) = m;
}

}  // namespace torqued::bench

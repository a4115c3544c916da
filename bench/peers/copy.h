// Results of libraries that keep them in Eigen's types, as plain numbers.
#pragma once

#include <Eigen/Core>
#include <algorithm>

namespace torqued::bench {

inline void CopyVector(const Eigen::Ref<const Eigen::VectorXd>& v,
                       double* numbers) {
  std::copy(v.data(), v.data() + v.size(), numbers);
}

/// Row-major from column-major.
inline void CopyMatrix(const Eigen::Ref<const Eigen::MatrixXd>& m,
                       double* numbers) {
  Eigen::Map<
      Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
      numbers, m.rows(), m.cols()) = m;
}

}  // namespace torqued::bench

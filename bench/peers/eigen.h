// For libraries that keep their results in Eigen's types. A header, so that
// every module compiles it with its own options.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>

namespace torqued::bench {

using TaskJacobian = Eigen::Matrix<double, 6, Eigen::Dynamic>;
using TaskVector = Eigen::Matrix<double, 6, 1>;
using TaskMatrix = Eigen::Matrix<double, 6, 6>;

/// Row-major numbers of a matrix or a vector.
inline void CopyMatrix(const Eigen::Ref<const Eigen::MatrixXd>& m,
                       double* numbers) {
  Eigen::Map<
      Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
      numbers, m.rows(), m.cols()) = m;
}

/// Λ and η from what a library knows, for those that leave this to their users:
/// in memory that is made once.
struct TaskSolver {
  explicit TaskSolver(int n) : cholesky(n), Y(n, 6), y(n) {}

  /// Λ = (J M⁻¹ Jᵀ)⁻¹ and η = Λ (J M⁻¹ h − J̇ v), by M = L Lᵀ, Y = L⁻¹ Jᵀ and
  /// y = L⁻¹ h. Reads the lower half of M.
  void Solve(const Eigen::MatrixXd& M, const Eigen::VectorXd& h,
             const Eigen::Ref<const TaskJacobian>& J, const TaskVector& drift) {
    cholesky.compute(M);
    Y = J.transpose();
    cholesky.matrixL().solveInPlace(Y);
    y = h;
    cholesky.matrixL().solveInPlace(y);
    Finish(Y.transpose() * Y, Y.transpose() * y - drift);
  }
  /// From W = J M⁻¹ Jᵀ and r = J M⁻¹ h − J̇ v.
  void Finish(const TaskMatrix& W, const TaskVector& r) {
    lambda = W.llt().solve(TaskMatrix::Identity());
    eta.noalias() = lambda * r;
  }

  Eigen::LLT<Eigen::MatrixXd, Eigen::Lower> cholesky;
  Eigen::Matrix<double, Eigen::Dynamic, 6> Y;
  Eigen::VectorXd y;
  TaskMatrix lambda;
  TaskVector eta;
};

}  // namespace torqued::bench
